import type { Server, Socket } from 'node:net'
import { withLimit } from '../../../platform/async/limit.js'
import { Slots } from '../../../platform/async/slots.js'
import { systemClock } from '../../../platform/clock.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import { type Load, UnderWay } from '../../../platform/under-way.js'
import { isOutOfReach, isSameHost } from '../reach.js'
import { ConnectFault } from '../reconnect.js'
import { isOrdinaryAudio, type MediaSecurity, secureOfferOfNobody } from '../sdp.js'
import { SIP_PROFILE } from '../sip-profile.js'
import { type ChannelEvent, eventsCommand, onlyChannelCommand } from './command-builder.js'
import {
  type CreateUac,
  type EslConnection,
  type FsmrfEndpoint,
  type FsmrfServer,
  MediaServer,
} from './drachtio-fsmrf.js'
import { endpointDialog, type Uac } from './endpoint-dialog.js'
import { gatherWrites, tameEventSocket } from './event-socket.js'
import type { EndpointEvents, MediaEndpoint } from './media-endpoint.js'
import { type PeerAudio, securityHeader, sourceHeader } from './peer-audio.js'

/**
 * Maximum time to create a channel, ms. drachtio-fsmrf itself waits four seconds for a channel's connection.
 */
const ENDPOINT_LIMIT_MS = 6_000
/**
 * Maximum number of channels being created at once. More wait in order, so that a burst delays
 * calls and loses none.
 */
const MADE_AT_ONCE = 20

export interface EndpointRequest {
  /** The peer's audio. When absent, FreeSWITCH makes the offer and gets the peer's answer later. */
  readonly peer?: PeerAudio | undefined
  /** The kind of audio in FreeSWITCH's own offer. */
  readonly offer?: MediaSecurity | undefined
  /** The address of the peer that gets this offer; undefined when not known. */
  readonly party?: string | undefined
  /** The drachtio connection that carries the dialog with FreeSWITCH. */
  readonly uac: Uac
  readonly events: EndpointEvents
}

const NOT_ACCEPTABLE_HERE = 488

/** The events that every channel subscribes to. */
const NEEDED: readonly ChannelEvent[] = ['CHANNEL_EXECUTE_COMPLETE', 'DTMF']

/** The media server refused an SDP offer with the SIP status `status`. */
export class EndpointRefusedError extends AdapterError {
  override readonly name = 'EndpointRefusedError'
  readonly sipStatus: number

  constructor(sipStatus: number, cause: unknown) {
    super(`the media server answered ${String(sipStatus)}`, { cause, isRetryable: true })
    this.sipStatus = sipStatus
  }
}

export interface ChannelMakerOptions {
  /** Our address that channels connect back to, and the same as the server sees it. */
  readonly listenAddress: string
  readonly advertisedAddress: string | undefined
  /** Called when `fault` changes. */
  readonly onFault: () => void
  readonly log: Logger
}

/** Creates channels on one FreeSWITCH server, and owns the listener that they connect back to. */
export class ChannelMaker {
  readonly #connection: EslConnection
  readonly #socket: Socket | null
  readonly #gone: AbortSignal
  readonly #options: ChannelMakerOptions
  readonly #slots = new Slots(MADE_AT_ONCE)
  readonly #watch: CallbackWatch
  readonly #asked = new UnderWay()
  #server: FsmrfServer | undefined
  /** The parameters of the next endpoint's INVITE. drachtio-fsmrf reads them before its first await. */
  #next:
    | { readonly uac: Uac; readonly sdp: string | undefined; readonly onAnswered: () => void }
    | undefined

  /** `gone` aborts when the login connection is lost. */
  constructor(connection: EslConnection, gone: AbortSignal, options: ChannelMakerOptions) {
    this.#connection = connection
    this.#socket = connection.socket
    this.#gone = gone
    this.#options = options
    const address = () => `${this.address?.host ?? ''}:${String(this.address?.port ?? '')}`
    this.#watch = new CallbackWatch(address, options.onFault)
  }

  /** Why created channels cannot be used; undefined while they can. */
  get fault(): string | undefined {
    return this.#watch.fault
  }

  /** The channels that were requested and are not created yet. */
  get channelLoad(): Load {
    return this.#asked.load(systemClock.monotonic())
  }

  /** The address that channels connect back to; undefined before `listen`. */
  get address(): { readonly host: string; readonly port: number } | undefined {
    const server = this.#server
    return server && { host: server.advertisedAddress, port: server.advertisedPort }
  }

  close(): void {
    this.#server?._server?.close()
  }

  /** Creates a channel once a slot is free. Rejects with EndpointRefusedError or AdapterError. */
  async make(
    request: EndpointRequest,
    wrap: (endpoint: FsmrfEndpoint) => MediaEndpoint,
  ): Promise<MediaEndpoint> {
    const asked = this.#asked.begin(systemClock.monotonic())
    try {
      const endpoint = await this.#makeInTurn(request, wrap)
      this.#asked.end(asked, systemClock.monotonic())
      return endpoint
    } finally {
      this.#asked.forget(asked, systemClock.monotonic())
    }
  }

  /** Throws ConnectFault when the server's channels could not connect back to us. */
  checkCallback(): void {
    const { advertisedAddress, listenAddress } = this.#options
    const host = advertisedAddress ?? listenAddress
    const { localAddress, remoteAddress } = this.#socket ?? {}
    if (!isOutOfReach(host, { localAddress, remoteAddress })) return
    throw new ConnectFault(
      'not-ready',
      `FreeSWITCH is on another machine and cannot connect back to ${host}: set MEDIA_CALLBACK_HOST`,
    )
  }

  /** Opens the listener and looks up the profile, which must exist. Rejects with ConnectFault. */
  async listen(): Promise<void> {
    const { listenAddress, advertisedAddress, log } = this.#options
    const createUAC: CreateUac = async (uri, options) => {
      if (!this.#next) throw new AdapterError('an endpoint without a signaling connection')
      const { uac, sdp, onAnswered } = this.#next
      const dialog = await endpointDialog(uac, uri, { ...options, localSdp: sdp })
      onAnswered()
      return dialog
    }
    const mrf = { srf: { createUAC }, customEvents: [] }
    const server = new MediaServer(
      this.#connection,
      mrf,
      listenAddress,
      0,
      advertisedAddress,
      undefined,
      SIP_PROFILE,
    )
    server.closing = true
    this.#server = server
    server.on('connect', () => {
      if (server._server) this.#guard(server._server.server)
      server._server?.on('connection::open', (connection: EslConnection) => {
        tameEventSocket(connection, log)
        askForFewEvents(connection)
      })
    })
    await new Promise<void>((resolve, reject) => {
      server.on('ready', resolve)
      server.on('error', (err: unknown) => {
        reject(
          new ConnectFault('not-ready', 'FreeSWITCH does not tell its SIP address in time', err),
        )
      })
    })
  }

  async #makeInTurn(
    request: EndpointRequest,
    wrap: (endpoint: FsmrfEndpoint) => MediaEndpoint,
  ): Promise<MediaEndpoint> {
    const release = await this.#slots.take(this.#gone).catch((cause: unknown) => {
      throw new AdapterError('the media server is lost', { cause, isRetryable: true })
    })
    try {
      return await this.#make(request, wrap)
    } finally {
      release()
    }
  }

  async #make(
    request: EndpointRequest,
    wrap: (endpoint: FsmrfEndpoint) => MediaEndpoint,
  ): Promise<MediaEndpoint> {
    if (!this.#server) throw new AdapterError('the media server is not ready')
    const { uac, peer } = request
    const { sdp, headers } = inviteOf(request)
    const watched = this.#watch.begin()
    const seen = { isAnswered: false }
    const onAnswered = () => {
      seen.isAnswered = true
    }
    this.#next = { uac, sdp, onAnswered }
    const made = this.#server.createEndpoint({
      // drachtio-fsmrf mistakes SAVP for DTLS and refuses it; the INVITE itself carries the
      // unchanged SDP.
      ...(sdp !== undefined && { remoteSdp: sdp.replace('RTP/SAVP', 'RTP/AVP') }),
      headers,
    })
    this.#next = undefined
    const wrapped = made.then((endpoint) => wrap(endpoint))
    try {
      return await withLimit(wrapped, ENDPOINT_LIMIT_MS, () => {
        // An endpoint that arrives after the limit is released at once.
        wrapped
          .then((endpoint) => endpoint.release())
          .catch((err: unknown) => {
            this.#options.log.debug({ err }, 'no late channel had to be released')
          })
        throw new AdapterError('the media server did not make a channel in time')
      })
    } catch (err) {
      if (seen.isAnswered && !this.#gone.aborted) watched.missed()
      if (err instanceof Error && 'status' in err && typeof err.status === 'number')
        throw refusal(err.status, peer, err)
      throw err
    }
  }

  /** Accepts connections only from the media server: any other client could pose as one of its channels. */
  #guard(callbacks: Server): void {
    const { log } = this.#options
    const expected = this.#socket?.remoteAddress
    const listeners = callbacks.listeners('connection')
    callbacks.removeAllListeners('connection')
    callbacks.on('connection', (socket: Socket) => {
      const { remoteAddress } = socket
      if (!isSameHost(remoteAddress, expected)) {
        log.warn({ remoteAddress, expected }, 'refused a connection that is not the media server')
        socket.destroy()
        return
      }
      this.#watch.connected()
      socket.setNoDelay(true)
      gatherWrites(socket)
      for (const listener of listeners) listener.call(callbacks, socket)
    })
  }
}

/** Detects whether a media server's channels connect back to us. */
class CallbackWatch {
  readonly #address: () => string
  readonly #onChange: () => void
  #connections = 0
  #isMissed = false

  /** `address` is what channels connect back to; `onChange` is called when the fault changes. */
  constructor(address: () => string, onChange: () => void) {
    this.#address = address
    this.#onChange = onChange
  }

  /** Why every call fails; undefined while channels connect back, and before the first one. */
  get fault(): string | undefined {
    return this.#isMissed
      ? `FreeSWITCH takes calls and does not connect back to ${this.#address()}: check MEDIA_CALLBACK_HOST, MEDIA_CALLBACK_ADDRESS and the firewall`
      : undefined
  }

  /** Records that a channel connected. */
  connected(): void {
    this.#connections += 1
    this.#set(false)
  }

  /** Starts waiting for the connection of one channel; `missed` reports that it did not come. */
  begin(): { missed(): void } {
    const before = this.#connections
    return {
      // Another channel that connected meanwhile proves that the address is right.
      missed: () => {
        if (this.#connections === before) this.#set(true)
      },
    }
  }

  #set(isMissed: boolean): void {
    if (isMissed === this.#isMissed) return
    this.#isMissed = isMissed
    this.#onChange()
  }
}

/**
 * Limits a channel's events. drachtio-fsmrf would request ten kinds, most of them 6 kB, and those
 * of all channels until its filter takes effect. An operation that needs more events subscribes to
 * them. FreeSWITCH reads commands byte by byte and yields the CPU after each byte, so short
 * commands are faster on a busy machine.
 */
function askForFewEvents(connection: EslConnection): void {
  connection.subscribe = () => undefined
  connection.filter = (_header, channel) => {
    const { socket } = connection
    socket?.cork()
    connection.send(onlyChannelCommand(channel).text)
    connection.send(eventsCommand(NEEDED).text)
    socket?.uncork()
  }
}

/** Returns the offer and the headers of the channel's INVITE; no offer when FreeSWITCH makes it. */
function inviteOf({ peer, offer = 'plain' }: EndpointRequest): {
  readonly sdp: string | undefined
  readonly headers: Readonly<Record<string, string>>
} {
  if (peer !== undefined)
    return { sdp: peer.sdp, headers: { ...sourceHeader(peer), ...securityHeader(peer.security) } }
  const sdp = offer === 'secure' ? secureOfferOfNobody() : undefined
  return { sdp, headers: { ...securityHeader(offer) } }
}

/**
 * Returns the error of a refused channel. FreeSWITCH also answers 488 when it has no RTP port left;
 * an offer of plain G.711 never causes a 488.
 */
function refusal(status: number, peer: PeerAudio | undefined, cause: Error): AdapterError {
  const isOfferFine = peer === undefined || (peer.security === 'plain' && isOrdinaryAudio(peer.sdp))
  if (status !== NOT_ACCEPTABLE_HERE || !isOfferFine) return new EndpointRefusedError(status, cause)
  const message = 'the media server has no audio for a call: look for RTP ports in its log'
  return new AdapterError(message, { cause, isRetryable: true })
}
