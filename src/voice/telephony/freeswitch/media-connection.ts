import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import { whenAborted } from '../../../platform/async/abort.js'
import { deferred } from '../../../platform/async/deferred.js'
import { withLimit } from '../../../platform/async/limit.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import type { Load } from '../../../platform/under-way.js'
import { type Codec, codecsOf, G711 } from '../codecs.js'
import { HTTP_FILES_MODULE, isMissing, NEEDED_MODULES } from '../needed-modules.js'
import { type ConnectionEnds, isSameHost } from '../reach.js'
import { type Connected, ConnectFault } from '../reconnect.js'
import type { ServerUrl } from '../server-url.js'
import { partySdp, SIP_PROFILE, type SipProfile, sipProfileOf } from '../sip-profile.js'
import { ChannelMaker, type EndpointRequest } from './channel-maker.js'
import {
  type ApiCommand,
  fileExistsCommand,
  moduleExistsCommand,
  pingCommand,
  profileStatusCommand,
  removeFileCommand,
  sendFileCommand,
  showCodecsCommand,
  type UrlOf,
} from './command-builder.js'
import {
  Connection,
  type EslConnection,
  type EslEvent,
  type FsmrfEndpoint,
} from './drachtio-fsmrf.js'
import { endOrphanedChannels } from './end-orphaned-channels.js'
import { tameEventSocket } from './event-socket.js'
import { LoadMeter } from './load-meter.js'
import { MediaEndpoint } from './media-endpoint.js'
import type { BringFile, WhenRecorded } from './record.js'
import type { RoomServer } from './record-room.js'
import { watchServer } from './watch-server.js'

const LOGIN_LIMIT_MS = 5_000
const CLOSE_LIMIT_MS = 1_000
const API_LIMIT_MS = 5_000

export interface MediaOptions {
  readonly server: ServerUrl
  /** Our address that channels connect back to, and the same as the server sees it. */
  readonly listenAddress: string
  readonly advertisedAddress: string | undefined
  /** CIDRs of peers that reach the server at its internal address. */
  readonly localNetworks: readonly string[]
  /** Transfers files; undefined when the server shares a folder with us. */
  readonly files?: TravellingFiles | undefined
  /** Called when `fault` changes. */
  readonly onFault: () => void
  readonly log: Logger
}

export interface TravellingFiles {
  readonly urlOf: UrlOf
  /** Fetches a recording from the named server. */
  bring(path: string, serverName: string): Promise<boolean>
}

/** Maximum time for the media server to upload a file, ms; an hour of two channels has 115 MB. */
const SEND_LIMIT_MS = 300_000

interface RemoteFilesDeps {
  readonly api: (command: ApiCommand) => Promise<string>
  /** Runs a command in the background; resolves with its answer. */
  readonly background: (command: ApiCommand) => Promise<string>
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
  readonly #maker: ChannelMaker
  readonly #endpoints = new Set<MediaEndpoint>()
  readonly #meter = new LoadMeter()
  #profile: SipProfile | undefined
  #codecs = G711
  #orphansEnded: Promise<void> = Promise.resolve()

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
    // Every endpoint that waits for its slot adds a listener, so the number of calls bounds them.
    setMaxListeners(0, this.#gone.signal)
    this.#maker = new ChannelMaker(this.#connection, this.#gone.signal, options)
    this.lost = whenAborted(this.#gone.signal)
    this.#socket?.once('close', () => {
      this.#maker.close()
      this.#gone.abort()
    })
  }

  get name(): string {
    return `${this.#options.server.host}:${String(this.#options.server.port)}`
  }

  /** Why the connected server cannot be used; undefined while it can. */
  get fault(): string | undefined {
    return this.#maker.fault
  }

  /** The address that peers send audio to; undefined when not known. */
  get rtpAddress(): string | undefined {
    return this.#profile?.advertisedRtpAddress
  }

  /** The codecs that its channels can use. */
  get codecs(): readonly Codec[] {
    return this.#codecs
  }

  /** The two addresses of the login connection. */
  get ends(): ConnectionEnds {
    const { localAddress, remoteAddress } = this.#socket ?? {}
    return { localAddress, remoteAddress }
  }

  get urlOf(): UrlOf | undefined {
    return this.#options.files?.urlOf
  }

  /** True when the address is that of the server. */
  isAt(address: string | undefined): boolean {
    return isSameHost(address, this.#socket?.remoteAddress)
  }

  /** True once the connection is lost. */
  get isLost(): boolean {
    return this.#gone.signal.aborted
  }

  /** The number of this process's channels on the server. */
  get ownChannels(): number {
    return this.#meter.ours
  }

  /** Resolves when channels of earlier processes on this server have ended, or cannot be ended. */
  get orphansEnded(): Promise<void> {
    return this.#orphansEnded
  }

  /** The channels that were requested and are not created yet. */
  get channelLoad(): Load {
    return this.#maker.channelLoad
  }

  get load(): LoadMeter['load'] {
    return this.#meter.load
  }

  /** Creates an endpoint. Rejects with EndpointRefusedError or AdapterError. */
  async createEndpoint(request: EndpointRequest): Promise<MediaEndpoint> {
    const counted = this.#meter.count()
    try {
      return await this.#maker.make(request, (endpoint) => this.#wrap(endpoint, request, counted))
    } catch (err) {
      counted.end()
      throw err
    }
  }

  readonly whenRecorded: WhenRecorded = (path) => {
    const { done, resolve } = deferred()
    this.#recordings.set(path, resolve)
    return { done, forget: () => this.#recordings.delete(path) }
  }

  readonly bring: BringFile = async (path) => this.#options.files?.bring(path, this.name)

  /** The files on the server's machine. */
  readonly files = new RemoteFiles({
    api: (command) => this.#api(command),
    background: (command) => this.#background(command),
  })

  /** Operations on rooms; a room can outlive a channel in it. */
  readonly rooms: RoomServer = {
    whenRecording: (path) => {
      const done = new Promise<string | undefined>((resolve) => {
        this.#roomRecordings.set(path, resolve)
      })
      return { done, forget: () => this.#roomRecordings.delete(path) }
    },
    whenRecorded: (path) => this.whenRecorded(path),
    bring: (path) => this.bring(path),
    api: (command) => this.#api(command),
  }

  async close(): Promise<void> {
    this.#maker.close()
    const socket = this.#socket
    if (!socket || socket.closed) return
    if (socket.connecting) socket.destroy()
    else socket.end('exit\n\n')
    await withLimit(this.lost, CLOSE_LIMIT_MS, () => {
      socket.destroy()
    })
  }

  #wrap(
    endpoint: FsmrfEndpoint,
    { events, peer, party }: EndpointRequest,
    counted: { end(): void },
  ): MediaEndpoint {
    const { localNetworks, log } = this.#options
    const { name, urlOf } = this
    const shown = (sdp: string) =>
      this.#profile === undefined
        ? sdp
        : partySdp(sdp, this.#profile, peer?.from ?? party, localNetworks)
    const wrapped = new MediaEndpoint(endpoint, { name, urlOf, shown }, events, log)
    if (peer !== undefined) void wrapped.followKeyWay(peer.sdp)
    this.#endpoints.add(wrapped)
    wrapped.over.addEventListener('abort', () => {
      this.#endpoints.delete(wrapped)
      counted.end()
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
    this.#maker.checkCallback()
    const more = this.#options.files === undefined ? [] : [HTTP_FILES_MODULE]
    await checkModules((command) => this.#api(command), more)
    this.#profile = await this.#findProfile()
    this.#codecs = codecsOf(this.#profile.codecs, await this.#api(showCodecsCommand()))
    await this.#maker.listen()
    connection.on('esl::event::RECORD_STOP::*', (event: EslEvent) => {
      this.#recordings.get(event.getHeader('Record-File-Path') ?? '')?.()
    })
    // Conference events belong to no channel.
    connection.on('esl::event::CUSTOM::**', (event: EslEvent) => {
      const path = event.getHeader('Path') ?? ''
      const action = event.getHeader('Action')
      if (action === 'stop-recording') this.#recordings.get(path)?.()
      if (action === 'start-recording')
        this.#roomRecordings.get(path)?.(event.getHeader('Error') ?? undefined)
    })
    connection.on('esl::event::HEARTBEAT::**', (event: EslEvent) => {
      this.#meter.receive(event)
    })
    // Names after CUSTOM are its subclasses.
    const events = ['RECORD_STOP', 'HEARTBEAT', 'BACKGROUND_JOB', 'CUSTOM conference::maintenance']
    connection.subscribe(events)
    this.#orphansEnded = this.#endOrphanedChannels()
    void watchServer(
      () => this.#answerTo(pingCommand()),
      () => {
        this.#lose()
      },
      this.#gone.signal,
    )
  }

  /** Resolves with our profile. Rejects with ConnectFault when it does not exist. */
  async #findProfile(): Promise<SipProfile> {
    const profile = sipProfileOf(await this.#api(profileStatusCommand()))
    if (profile !== undefined) return profile
    throw new ConnectFault(
      'not-ready',
      `FreeSWITCH has no profile ${SIP_PROFILE}: give it the configuration in freeswitch-conf/`,
    )
  }

  /**
   * Closes the connection of a server that does not answer, and ends its channels, whose own
   * connections may never close.
   */
  #lose(): void {
    this.#options.log.error('FreeSWITCH does not answer: its calls are ended')
    this.#socket?.destroy()
    for (const endpoint of [...this.#endpoints]) endpoint.lose()
  }

  async #endOrphanedChannels(): Promise<void> {
    const own = this.#maker.address
    const stop = this.#gone.signal
    const api = (command: ApiCommand) => this.#api(command)
    if (own !== undefined) await endOrphanedChannels({ api, own, log: this.#options.log, stop })
  }

  #api(command: ApiCommand): Promise<string> {
    return withLimit(this.#answerTo(command), API_LIMIT_MS, () => {
      throw new AdapterError('the media server does not answer')
    })
  }

  #background({ text }: ApiCommand): Promise<string> {
    const [name = '', ...args] = text.split(' ')
    return new Promise((resolve, reject) => {
      this.#connection.bgapi(name, args.join(' '), (done) => {
        resolve(done.getBody().trim())
      })
      void this.lost.then(() => {
        reject(new AdapterError('the media server is lost', { isRetryable: true }))
      })
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
}

/** The files on the machine of a media server. */
class RemoteFiles {
  readonly #deps: RemoteFilesDeps

  constructor(deps: RemoteFilesDeps) {
    this.#deps = deps
  }

  async has(path: string): Promise<boolean> {
    return (await this.#deps.api(fileExistsCommand(path))) === 'true'
  }

  /** Uploads the file by PUT. Rejects with AdapterError when the media server could not send it. */
  async send(path: string, url: string): Promise<void> {
    const sent = this.#deps.background(sendFileCommand(url, path))
    const answer = await withLimit(sent, SEND_LIMIT_MS, () => {
      throw new AdapterError('the media server did not send a file in time')
    })
    if (!answer.startsWith('+OK'))
      throw new AdapterError(`the media server could not send a file: ${answer}`)
  }

  async remove(path: string): Promise<void> {
    await this.#deps.api(removeFileCommand(path))
  }
}

/** Rejects with a ConnectFault that lists the modules that FreeSWITCH has not loaded. */
export async function checkModules(
  api: (command: ApiCommand) => Promise<string>,
  more: readonly string[] = [],
): Promise<void> {
  const missing: string[] = []
  for (const module of [...NEEDED_MODULES, ...more])
    if (isMissing(module, await api(moduleExistsCommand(module)))) missing.push(module)
  if (missing.length > 0)
    throw new ConnectFault(
      'not-ready',
      `FreeSWITCH has not loaded ${missing.join(', ')}: see freeswitch-conf/freeswitch.xml`,
    )
}
