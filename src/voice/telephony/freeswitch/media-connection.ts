import { setMaxListeners } from 'node:events'
import type { Server, Socket } from 'node:net'
import { whenAborted } from '../../../platform/async/abort.js'
import { deferred } from '../../../platform/async/deferred.js'
import { withLimit } from '../../../platform/async/limit.js'
import { pause } from '../../../platform/async/sleep.js'
import { AdapterError } from '../../../platform/errors.js'
import { Slots } from '../../../platform/http/slots.js'
import type { Logger } from '../../../platform/log.js'
import { isOutOfReach, isSameHost } from '../callback-reach.js'
import { type Connected, ConnectFault } from '../reconnect.js'
import type { MediaSecurity } from '../sdp.js'
import type { ServerUrl } from '../server-url.js'
import { checkModules } from './check-modules.js'
import { type ApiCommand, pingCommand } from './command-builder.js'
import {
  Connection,
  type CreateUac,
  type EslConnection,
  type EslEvent,
  type FsmrfEndpoint,
  type FsmrfServer,
  MediaServer,
} from './drachtio-fsmrf.js'
import { endOrphanedChannels } from './end-orphaned-channels.js'
import { endpointDialog, type Uac } from './endpoint-dialog.js'
import { tameEventSocket } from './event-socket.js'
import { LoadMeter } from './load-meter.js'
import { type EndpointEvents, MediaEndpoint } from './media-endpoint.js'
import { type PeerAudio, securityHeader, sourceHeader } from './peer-audio.js'
import type { WhenRecorded } from './record.js'
import type { RoomServer } from './record-room.js'
import { watchServer } from './watch-server.js'

const LOGIN_LIMIT_MS = 5_000
const CLOSE_LIMIT_MS = 1_000
const API_LIMIT_MS = 5_000
const SECOND_LOOK_MS = 3_000
/**
 * The time that a channel may take to be made. The package itself waits four seconds for a
 * channel's connection.
 */
const ENDPOINT_LIMIT_MS = 6_000
/**
 * The most channels that are made at the same time. Further ones wait in order, so that a burst
 * delays calls and loses none.
 */
const MADE_AT_ONCE = 20
/** The profile of freeswitch-conf that takes our INVITEs. */
const SIP_PROFILE = 'drachtio_mrf'

export interface MediaOptions {
  readonly server: ServerUrl
  /** Our address that channels connect back to, and that address as the server sees it. */
  readonly listenAddress: string
  readonly advertisedAddress: string | undefined
  readonly log: Logger
}

export interface EndpointRequest {
  /**
   * The peer's audio. When it is absent, FreeSWITCH makes the offer and is given the peer's answer
   * later.
   */
  readonly peer?: PeerAudio | undefined
  /** The kind of audio in FreeSWITCH's own offer. */
  readonly offer?: MediaSecurity | undefined
  /** The drachtio that carries the dialog with FreeSWITCH. */
  readonly uac: Uac
  readonly events: EndpointEvents
}

/** The media server refused an SDP offer with the SIP status `status`. */
export class EndpointRefusedError extends AdapterError {
  override readonly name = 'EndpointRefusedError'
  readonly sipStatus: number

  constructor(sipStatus: number, cause: unknown) {
    super(`the media server answered ${String(sipStatus)}`, { cause, isRetryable: true })
    this.sipStatus = sipStatus
  }
}

/** One login to a FreeSWITCH server, and the listener that its channels connect back to. */
export class MediaConnection implements Connected {
  readonly lost: Promise<void>
  readonly #options: MediaOptions
  readonly #connection: EslConnection
  readonly #socket: Socket | null
  readonly #gone = new AbortController()
  readonly #recordings = new Map<string, () => void>()
  readonly #roomRecordings = new Map<string, (error: string | undefined) => void>()
  readonly #turns = new Slots(MADE_AT_ONCE)
  #server: FsmrfServer | undefined
  /** What the next endpoint's INVITE is sent by. The package reads it before it first waits. */
  #next: { readonly uac: Uac; readonly sdp: string | undefined } | undefined
  readonly #endpoints = new Set<MediaEndpoint>()
  readonly #meter = new LoadMeter()

  static async open(options: MediaOptions, stop: AbortSignal): Promise<MediaConnection> {
    const media = new MediaConnection(options)
    const closeAtOnce = () => void media.close()
    stop.addEventListener('abort', closeAtOnce, { once: true })
    try {
      await withLimit(media.#logIn(), LOGIN_LIMIT_MS, () => {
        throw new ConnectFault('not-ready', 'FreeSWITCH did not answer the login')
      })
    } catch (err) {
      await media.close()
      throw err
    } finally {
      stop.removeEventListener('abort', closeAtOnce)
    }
    return media
  }

  private constructor(options: MediaOptions) {
    const { host, port, secret } = options.server
    this.#options = options
    this.#connection = new Connection(host, port, secret, () => undefined)
    this.#socket = this.#connection.socket
    tameEventSocket(this.#connection, options.log)
    // Every endpoint that waits for its turn adds a listener, so their number is bounded by the
    // calls.
    setMaxListeners(0, this.#gone.signal)
    this.lost = whenAborted(this.#gone.signal)
    this.#socket?.once('close', () => {
      this.#server?._server?.close()
      this.#gone.abort()
    })
  }

  get name(): string {
    return `${this.#options.server.host}:${String(this.#options.server.port)}`
  }

  /** True once the connection is gone. */
  get isLost(): boolean {
    return this.#gone.signal.aborted
  }

  /** The number of this process's channels on the server. */
  get ownChannels(): number {
    return this.#meter.ours
  }

  get load(): LoadMeter['load'] {
    return this.#meter.load
  }

  /** Makes an endpoint. Rejects with EndpointRefusedError or AdapterError. */
  async createEndpoint(request: EndpointRequest): Promise<MediaEndpoint> {
    this.#meter.begun()
    try {
      const endpoint = await this.#createInTurn(request)
      endpoint.over.addEventListener('abort', () => {
        this.#meter.ended()
      })
      return endpoint
    } catch (err) {
      this.#meter.ended()
      throw err
    }
  }

  async #createInTurn(request: EndpointRequest): Promise<MediaEndpoint> {
    const giveBack = await this.#turns.take(this.#gone.signal).catch((cause: unknown) => {
      throw new AdapterError('the media server is lost', { cause, isRetryable: true })
    })
    try {
      return await this.#createEndpoint(request)
    } finally {
      giveBack()
    }
  }

  async #createEndpoint(request: EndpointRequest): Promise<MediaEndpoint> {
    if (!this.#server) throw new AdapterError('the media server is not ready')
    const { uac, peer, offer = 'plain' } = request
    this.#next = { uac, sdp: peer?.sdp }
    const made = this.#server.createEndpoint(
      peer === undefined
        ? { headers: { ...securityHeader(offer) } }
        : {
            // The package takes SAVP for DTLS, and refuses it; the INVITE has the SDP as it is.
            remoteSdp: peer.sdp.replace('RTP/SAVP', 'RTP/AVP'),
            headers: { ...sourceHeader(peer), ...securityHeader(peer.security) },
          },
    )
    this.#next = undefined
    const wrapped = made.then((endpoint) => this.#wrap(endpoint, request))
    try {
      return await withLimit(wrapped, ENDPOINT_LIMIT_MS, () => {
        // An endpoint that comes after the limit is released at once.
        wrapped.then((endpoint) => endpoint.release()).catch(() => undefined)
        throw new AdapterError('the media server did not make a channel in time')
      })
    } catch (err) {
      if (err instanceof Error && 'status' in err && typeof err.status === 'number')
        throw new EndpointRefusedError(err.status, err)
      throw err
    }
  }

  readonly whenRecorded: WhenRecorded = (path) => {
    const { done, resolve } = deferred()
    this.#recordings.set(path, resolve)
    return { done, forget: () => this.#recordings.delete(path) }
  }

  /** Operations on rooms, which outlive the channels in them. */
  readonly rooms: RoomServer = {
    whenRecording: (path) => {
      const done = new Promise<string | undefined>((resolve) => {
        this.#roomRecordings.set(path, resolve)
      })
      return { done, forget: () => this.#roomRecordings.delete(path) }
    },
    whenRecorded: (path) => this.whenRecorded(path),
    api: (command) => this.#api(command),
  }

  async close(): Promise<void> {
    this.#server?._server?.close()
    const socket = this.#socket
    if (!socket || socket.closed) return
    if (socket.connecting) socket.destroy()
    else socket.end('exit\n\n')
    await withLimit(this.lost, CLOSE_LIMIT_MS, () => {
      socket.destroy()
    })
  }

  #wrap(endpoint: FsmrfEndpoint, { events, peer }: EndpointRequest): MediaEndpoint {
    const wrapped = new MediaEndpoint(endpoint, this.name, events, this.#options.log)
    if (peer !== undefined) wrapped.listenForKeys(peer.sdp)
    this.#endpoints.add(wrapped)
    wrapped.over.addEventListener('abort', () => {
      this.#endpoints.delete(wrapped)
    })
    return wrapped
  }

  async #logIn(): Promise<void> {
    const connection = this.#connection
    await new Promise<void>((resolve, reject) => {
      const fail = (fault: ConnectFault['fault'], message: string) => (cause: unknown) => {
        reject(new ConnectFault(fault, message, cause instanceof Error ? cause : undefined))
      }
      connection.on('error', fail('unreachable', 'no connection to FreeSWITCH'))
      connection.on('esl::end', fail('refused', 'FreeSWITCH closed the connection'))
      connection.on(
        'esl::event::raw::text/rude-rejection',
        fail('refused', 'FreeSWITCH does not accept our address'),
      )
      connection.on(
        'esl::event::auth::fail',
        fail('wrong-secret', 'FreeSWITCH refused the password'),
      )
      connection.on('esl::ready', () => {
        resolve()
      })
    })
    this.#checkCallback()
    await checkModules((command) => this.#api(command))
    await this.#listen()
    connection.on('esl::event::RECORD_STOP::*', (event: EslEvent) => {
      this.#recordings.get(event.getHeader('Record-File-Path') ?? '')?.()
    })
    // These events belong to no channel.
    connection.on('esl::event::CUSTOM::**', (event: EslEvent) => {
      const path = event.getHeader('Path') ?? ''
      const action = event.getHeader('Action')
      if (action === 'stop-recording') this.#recordings.get(path)?.()
      if (action === 'start-recording')
        this.#roomRecordings.get(path)?.(event.getHeader('Error') ?? undefined)
    })
    connection.on('esl::event::HEARTBEAT::**', (event: EslEvent) => {
      this.#meter.heard(event)
    })
    connection.subscribe(['RECORD_STOP', 'HEARTBEAT', 'CUSTOM conference::maintenance'])
    void this.#endOrphanedChannels()
    void watchServer(
      () => this.#answerTo(pingCommand()),
      () => {
        this.#lose()
      },
      this.#gone.signal,
    )
  }

  /** Gives up a server that does not answer, with its channels: no connection of theirs may close. */
  #lose(): void {
    this.#options.log.error('FreeSWITCH does not answer: its calls are ended')
    this.#socket?.destroy()
    for (const endpoint of [...this.#endpoints]) endpoint.lose()
  }

  /**
   * Ends orphaned channels, twice: FreeSWITCH lists its channels from a database that lags behind
   * them.
   */
  async #endOrphanedChannels(): Promise<void> {
    const { log } = this.#options
    const server = this.#server
    if (!server) return
    const own = { host: server.advertisedAddress, port: server.advertisedPort }
    for (const delayMs of [0, SECOND_LOOK_MS]) {
      await pause(delayMs, this.#gone.signal)
      if (this.#gone.signal.aborted) return
      try {
        await endOrphanedChannels((command) => this.#api(command), own, log)
      } catch (err) {
        log.warn({ err }, 'orphaned channels not listed')
      }
    }
  }

  /**
   * Lets only the media server itself connect back: whoever else could reach the listener would speak
   * as one of its channels.
   */
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
      socket.setNoDelay(true)
      for (const listener of listeners) listener.call(callbacks, socket)
    })
  }

  /** Rejects the login when the server's channels could not connect back to us. */
  #checkCallback(): void {
    const { advertisedAddress, listenAddress } = this.#options
    const host = advertisedAddress ?? listenAddress
    const { localAddress, remoteAddress } = this.#socket ?? {}
    if (!isOutOfReach(host, { localAddress, remoteAddress })) return
    throw new ConnectFault(
      'not-ready',
      `FreeSWITCH is on another machine and cannot connect back to ${host}: set MEDIA_CALLBACK_HOST`,
    )
  }

  #api(command: ApiCommand): Promise<string> {
    return withLimit(this.#answerTo(command), API_LIMIT_MS, () => {
      throw new AdapterError('the media server does not answer')
    })
  }

  /** Resolves with the answer's text without its line end. */
  #answerTo(command: ApiCommand): Promise<string> {
    return new Promise((resolve) => {
      this.#connection.api(command.text, (response) => {
        resolve(response.getBody().trim())
      })
    })
  }

  async #listen(): Promise<void> {
    const { listenAddress, advertisedAddress, log } = this.#options
    const createUAC: CreateUac = (uri, options) => {
      if (!this.#next) throw new AdapterError('an endpoint without a signaling connection')
      const { uac, sdp } = this.#next
      return endpointDialog(uac, uri, { ...options, localSdp: sdp })
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
      })
    })
    await new Promise<void>((resolve, reject) => {
      server.on('ready', resolve)
      server.on('error', (err: unknown) => {
        reject(new ConnectFault('not-ready', `FreeSWITCH has no profile ${SIP_PROFILE}`, err))
      })
    })
  }
}
