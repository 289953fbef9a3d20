import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import type { TravellingFiles } from './freeswitch/media-connection.js'
import type { ServerFaults } from './legs/leg-deps.js'
import type { ServerView, TelephonyHealth } from './port.js'
import { rtpFault } from './reach.js'
import { type FaultyMember, firstFault, overallHealth, ServerLink } from './server-link.js'
import { parseServerUrl, type ServerUrl, serverName } from './server-url.js'
import { chooseServer } from './servers/choose-server.js'
import { MediaServers } from './servers/media-servers.js'
import { ServerTrials } from './servers/server-trials.js'
import { type RequestListeners, SignalingConnection } from './signaling/signaling-connection.js'

export interface TelephonyServersOptions {
  /** The drachtio servers, each as `tcp://:SECRET@HOST:PORT`. Any of them can serve any call. */
  readonly drachtioUrls: readonly string[]
  readonly freeswitchUrls: readonly string[]
  /** The address that FreeSWITCH's channels connect back to. */
  readonly listenAddress: string
  /** `listenAddress` as FreeSWITCH sees it, when it differs. */
  readonly advertisedAddress: string | undefined
  /** CIDRs of peers that reach FreeSWITCH at its internal address. */
  readonly localNetworks: readonly string[]
  readonly files: TravellingFiles | undefined
  readonly requests: RequestListeners
  /** Called at every change of `health`. */
  readonly onHealth: (health: TelephonyHealth) => void
  /** Returns the number of live legs on the drachtio server of that name. */
  readonly legsOver: (name: string) => number
  readonly clock: Clock
  readonly log: Logger
}

interface SignalingMember {
  readonly server: ServerUrl
  readonly name: string
  readonly link: ServerLink<SignalingConnection>
}

/** Owns the connections to all drachtio and FreeSWITCH servers: their health, and the choice of one. */
export class TelephonyServers implements ServerFaults {
  readonly media: MediaServers
  readonly #signaling: readonly SignalingMember[]
  readonly #onHealth: (health: TelephonyHealth) => void
  readonly #legsOver: (name: string) => number
  readonly #trials: ServerTrials
  readonly #ages: FaultAges
  #drained: ReadonlySet<string> = new Set()
  #health: TelephonyHealth = { signaling: 'connecting', media: 'connecting' }

  /** Makes the connections. Throws TypeError for a bad URL. */
  constructor(options: TelephonyServersOptions) {
    const { listenAddress, advertisedAddress, localNetworks, requests, log } = options
    const drachtios = options.drachtioUrls.map(parseServerUrl)
    this.#onHealth = options.onHealth
    this.#legsOver = options.legsOver
    const onHealth = () => {
      this.#updateHealth()
    }
    this.media = new MediaServers({
      urls: options.freeswitchUrls,
      listenAddress,
      advertisedAddress,
      localNetworks,
      files: options.files,
      onHealth,
      log,
    })
    this.#ages = new FaultAges(options.clock)
    this.#trials = new ServerTrials({
      connections: () => this.media.members.flatMap(({ link }) => link.connection ?? []),
      uac: () => (this.signalingForCall().isOpen ? this.signalingForCall().srf : undefined),
      isTriedFirst: advertisedAddress !== undefined,
      onChange: onHealth,
      log,
    })
    this.#signaling = drachtios.map((server) => {
      const { host, port } = server
      const open = (stop: AbortSignal) => SignalingConnection.open(server, requests, stop)
      const ownLog = log.child({ server: 'drachtio', host, port })
      const link = new ServerLink({ open, onHealth, log: ownLog })
      return { server, name: serverName(server), link }
    })
  }

  get health(): TelephonyHealth {
    return this.#health
  }

  /** Returns the drachtio server for a new call: fewest legs relative to its weight, never a drained one. */
  signalingForCall(): SignalingConnection {
    const up = this.#signaling.flatMap(({ name, server: { weight }, link: { connection } }) =>
      connection === undefined || this.#drained.has(name)
        ? []
        : [{ ...NO_FIGURES, channels: this.#legsOver(name), weight, connection }],
    )
    return chooseServer(up)?.connection ?? SignalingConnection.none()
  }

  /** Returns the first connected drachtio server. */
  firstSignaling(): SignalingConnection {
    const [first] = this.#signaling.flatMap(({ link }) => link.connection ?? [])
    return first ?? SignalingConnection.none()
  }

  /** Returns the drachtio server of that name; any connected one when the name is no longer configured. */
  signalingNamed(name: string): SignalingConnection | undefined {
    const isConfigured = this.#signaling.some((member) => member.name === name)
    return this.#signaling
      .flatMap(({ link }) => link.connection ?? [])
      .find((signaling) => !isConfigured || signaling.name === name)
  }

  /** The hosts of the SIP listeners of the connected drachtio servers. */
  get sipHosts(): readonly string[] {
    return this.#signaling.flatMap(({ link }) => link.connection?.hosts ?? [])
  }

  /** True while a connected drachtio server has TLS. */
  get hasTls(): boolean {
    return this.#signaling.some(({ link }) => link.connection?.hasTls === true)
  }

  /** Drains exactly the servers of these names: they get no new call, all others do. */
  drain(names: ReadonlySet<string>): void {
    this.#drained = names
    this.media.drain(names)
    this.#updateHealth()
  }

  isDrained(name: string): boolean {
    return this.#drained.has(name)
  }

  ofSignaling(): string | undefined {
    return this.#health.signalingFault
  }

  ofMedia(): string | undefined {
    return this.#health.mediaFault
  }

  on(mediaServer: string): string | undefined {
    const faults = [...this.#mediaFaults(), ...this.#audioFaults()]
    return faults.find(({ name, link }) => name === mediaServer && link.fault !== undefined)?.link
      .fault
  }

  views(): ServerView[] {
    const drachtios = this.#signaling.map(({ name, server, link }) => ({
      ...NO_FIGURES,
      name,
      kind: 'drachtio' as const,
      health: link.health,
      fault: link.fault,
      faultMs: this.#ages.ageMs(name),
      isDrained: this.#drained.has(name),
      weight: server.weight,
      ownChannels: this.#legsOver(name),
      channels: this.#legsOver(name),
    }))
    const faults = new Map(this.#mediaFaults().map(({ name, link }) => [name, link.fault]))
    const freeswitches = this.media.views().map((view) => ({
      ...view,
      fault: faults.get(view.name),
      faultMs: this.#ages.ageMs(view.name),
    }))
    return [...drachtios, ...freeswitches]
  }

  async close(): Promise<void> {
    this.#trials[Symbol.dispose]()
    const links = this.#signaling.map(({ link }) => link.close())
    await Promise.all([...links, this.media.close()])
  }

  #updateHealth(): void {
    const inUse = this.#signaling.filter(({ name }) => !this.#drained.has(name))
    const mediaFaults = this.#mediaFaults()
    for (const { name, link } of [...this.#signaling, ...mediaFaults])
      this.#ages.note(name, link.fault)
    const now: TelephonyHealth = {
      signaling: overallHealth(inUse.map(({ link }) => link)),
      media: overallHealth(this.media.inUse),
      signalingFault: inUse.length === 0 ? ALL_DRAINED : firstFault(this.#signaling),
      mediaFault: this.media.inUse.length === 0 ? ALL_DRAINED : firstFault(mediaFaults),
      audioFault: firstFault(this.#audioFaults()),
    }
    this.#trials.look()
    if (isDeepStrictEqual(now, this.#health)) return
    this.#health = now
    this.#onHealth(this.#health)
  }

  /** Returns the FreeSWITCH servers, each with its fault in calls or audio addresses, if any. */
  #mediaFaults(): readonly FaultyMember[] {
    const { sipHosts } = this
    return this.media.members.map(({ name, link }) => {
      const fault = link.fault ?? rtpFault(link.connection?.rtpAddress, sipHosts)
      return { name, link: { fault } }
    })
  }

  #audioFaults(): readonly FaultyMember[] {
    return this.media.members.map(({ name, link: { connection } }) => {
      const fault = connection && this.#trials.audioFaultOf(connection)
      return { name, link: { fault } }
    })
  }
}

/** Measures how long each server has had its current fault. */
class FaultAges {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #since = new Map<string, { readonly fault: string; readonly atMs: number }>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Records the server's current fault, or that it has none. */
  note(name: string, fault: string | undefined): void {
    if (fault === undefined) this.#since.delete(name)
    else if (this.#since.get(name)?.fault !== fault)
      this.#since.set(name, { fault, atMs: this.#clock.monotonic() })
  }

  /** Returns the milliseconds since the fault was first recorded; undefined without one. */
  ageMs(name: string): number | undefined {
    const known = this.#since.get(name)
    return known && this.#clock.monotonic() - known.atMs
  }
}

/** The load figures that drachtio does not report. */
const NO_FIGURES = { maxSessions: undefined, idlePercent: undefined }
const ALL_DRAINED = 'every server of this kind is drained'
