import { isDeepStrictEqual } from 'node:util'
import { AdapterError } from '../../platform/errors.js'
import type { Logger } from '../../platform/log.js'
import { MediaConnection } from './freeswitch/media-connection.js'
import type { TelephonyHealth } from './port.js'
import { firstFault, overallHealth, ServerLink } from './server-link.js'
import { parseServerUrl, serverName } from './server-url.js'
import { type RequestListeners, SignalingConnection } from './signaling/signaling-connection.js'

export interface ServerLinksOptions {
  /** The drachtio servers, each as `tcp://:SECRET@HOST:PORT`. Any of them can take any call. */
  readonly drachtioUrls: readonly string[]
  readonly freeswitchUrls: readonly string[]
  /** The address that FreeSWITCH's channels connect back to. */
  readonly listenAddress: string
  /** `listenAddress` as FreeSWITCH sees it, when it differs. */
  readonly advertisedAddress: string | undefined
  readonly requests: RequestListeners
  /** Called at every change of `health`. */
  readonly onHealth: (health: TelephonyHealth) => void
  readonly log: Logger
}

/** The connections to all drachtio and FreeSWITCH servers: their health, and the choice among them. */
export class ServerLinks {
  /** Names of the drachtio servers. */
  readonly #drachtios: readonly string[]
  readonly #signaling: readonly ServerLink<SignalingConnection>[]
  readonly #media: readonly ServerLink<MediaConnection>[]
  readonly #onHealth: (health: TelephonyHealth) => void
  #health: TelephonyHealth = { signaling: 'connecting', media: 'connecting' }

  /** Makes the connections. Throws TypeError for a bad URL. */
  constructor(options: ServerLinksOptions) {
    const { listenAddress, advertisedAddress, requests } = options
    const drachtios = options.drachtioUrls.map(parseServerUrl)
    const freeswitches = options.freeswitchUrls.map(parseServerUrl)
    this.#drachtios = drachtios.map(serverName)
    this.#onHealth = options.onHealth
    const onHealth = () => {
      this.#updateHealth()
    }
    this.#signaling = drachtios.map((server) => {
      const { host, port } = server
      const log = options.log.child({ server: 'drachtio', host, port })
      const open = (stop: AbortSignal) => SignalingConnection.open(server, requests, stop)
      return new ServerLink({ open, onHealth, log })
    })
    this.#media = freeswitches.map((server) => {
      const { host, port } = server
      const log = options.log.child({ server: 'freeswitch', host, port })
      const media = { server, listenAddress, advertisedAddress, log }
      const open = (stop: AbortSignal) => MediaConnection.open(media, stop)
      return new ServerLink({ open, onHealth, log })
    })
  }

  get health(): TelephonyHealth {
    return this.#health
  }

  /**
   * The drachtio for call number `turn`. The servers take turns, because each reaches every peer.
   */
  signalingFor(turn: number): SignalingConnection {
    const up = this.#signaling.flatMap((link) => link.connection ?? [])
    return up[turn % Math.max(1, up.length)] ?? SignalingConnection.none()
  }

  /** The drachtio of that name, or any other one when the name is no longer configured. */
  signalingNamed(name: string): SignalingConnection | undefined {
    const isConfigured = this.#drachtios.includes(name)
    return this.#signaling
      .flatMap((link) => link.connection ?? [])
      .find((signaling) => !isConfigured || signaling.name === name)
  }

  /** True while a drachtio that is up has TLS. */
  get hasTls(): boolean {
    return this.#signaling.some(({ connection }) => connection?.hasTls === true)
  }

  /** The media server with the fewest channels. Throws AdapterError when none is up. */
  leastLoadedMedia(): MediaConnection {
    const [first, ...others] = this.#media.flatMap((link) => link.connection ?? [])
    if (!first) throw new AdapterError('no media server is up', { isRetryable: true })
    return others.reduce((a, b) => (b.endpointCount < a.endpointCount ? b : a), first)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#signaling, ...this.#media].map((link) => link.close()))
  }

  #updateHealth(): void {
    const signaling = overallHealth(this.#signaling)
    const media = overallHealth(this.#media)
    const signalingFault = firstFault(this.#signaling)
    const mediaFault = firstFault(this.#media)
    const now: TelephonyHealth = { signaling, media, signalingFault, mediaFault }
    if (isDeepStrictEqual(now, this.#health)) return
    this.#health = now
    this.#onHealth(this.#health)
  }
}
