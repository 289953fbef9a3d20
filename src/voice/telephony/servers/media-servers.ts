import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import type { Load } from '../../../platform/under-way.js'
import { type Codec, commonCodecs } from '../codecs.js'
import { EndpointRefusedError, type EndpointRequest } from '../freeswitch/channel-maker.js'
import { MediaConnection, type TravellingFiles } from '../freeswitch/media-connection.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import type { ServerView } from '../port.js'
import { ServerLink } from '../server-link.js'
import { parseServerUrl, type ServerUrl, serverName } from '../server-url.js'
import { chooseServer } from './choose-server.js'
import { RoomPlaces } from './room-places.js'

export interface MediaServersOptions {
  readonly urls: readonly string[]
  /** The address that FreeSWITCH's channels connect back to, and the same as FreeSWITCH sees it. */
  readonly listenAddress: string
  readonly advertisedAddress: string | undefined
  /** CIDRs of peers that reach FreeSWITCH at its internal address. */
  readonly localNetworks: readonly string[]
  readonly files?: TravellingFiles | undefined
  readonly onHealth: () => void
  readonly log: Logger
}

/** An endpoint, and the connection to its server. */
export interface PlacedEndpoint {
  readonly endpoint: MediaEndpoint
  readonly server: MediaConnection
}

interface Member {
  readonly server: ServerUrl
  readonly name: string
  readonly link: ServerLink<MediaConnection>
}

/** The FreeSWITCH servers: chooses one for each new channel, and knows the server of each room. */
export class MediaServers {
  readonly places = new RoomPlaces<MediaConnection>()
  readonly #members: readonly Member[]
  readonly #log: Logger
  #drained: ReadonlySet<string> = new Set()

  /** Connects to the servers. Throws TypeError for a bad URL. */
  constructor({ urls, onHealth, log, ...addresses }: MediaServersOptions) {
    this.#log = log
    const servers = urls.map(parseServerUrl)
    this.#members = servers.map((server) => {
      const { host, port } = server
      const ownLog = log.child({ server: 'freeswitch', host, port })
      const options = { ...addresses, server, onFault: onHealth, log: ownLog }
      const open = (stop: AbortSignal) => MediaConnection.open(options, stop)
      return {
        server,
        name: serverName(server),
        link: new ServerLink({ open, onHealth, log: ownLog }),
      }
    })
  }

  get count(): number {
    return this.#members.length
  }

  /** The links of the servers that are not drained. */
  get inUse(): readonly ServerLink<MediaConnection>[] {
    return this.#members.filter(({ name }) => !this.#drained.has(name)).map(({ link }) => link)
  }

  get members(): readonly { readonly name: string; readonly link: ServerLink<MediaConnection> }[] {
    return this.#members
  }

  /** The codecs that all connected servers have, since any of them may get the next call. */
  get codecs(): readonly Codec[] {
    const up = this.#members.flatMap(({ link: { connection } }) =>
      connection === undefined ? [] : [connection.codecs],
    )
    return commonCodecs(up)
  }

  /** True for the address of a connected server. */
  isServer(address: string | undefined): boolean {
    return this.#members.some(({ link }) => link.connection?.isAt(address) === true)
  }

  /** Resolves when the connected servers have ended the channels of earlier processes. */
  async orphansEnded(): Promise<void> {
    await Promise.all(this.#members.flatMap(({ link }) => link.connection?.orphansEnded ?? []))
  }

  /** Returns the channel load of the servers that are not drained. */
  channelLoad(): Load {
    return joinedLoad(this.inUse.flatMap(({ connection }) => connection?.channelLoad ?? []))
  }

  /** Drains exactly the servers of these names: they get no new call, all others do. */
  drain(names: ReadonlySet<string>): void {
    this.#drained = names
  }

  views(): Omit<ServerView, 'fault' | 'faultMs'>[] {
    return this.#members.map(({ name, server, link }) => {
      const { connection, health } = link
      const load = connection?.load
      return {
        name,
        kind: 'freeswitch',
        health,
        isDrained: this.#drained.has(name),
        weight: server.weight,
        ownChannels: connection?.ownChannels ?? 0,
        channels: load?.channels ?? 0,
        maxSessions: load?.maxSessions,
        idlePercent: load?.idlePercent,
      }
    })
  }

  /**
   * Creates an endpoint on the server named `beside` while it is connected, else on the chosen one. When a
   * server fails, the next is tried. Rejects with EndpointRefusedError or AdapterError.
   */
  async createEndpoint(
    request: EndpointRequest,
    beside: string | undefined,
  ): Promise<PlacedEndpoint> {
    const failed = new Set<string>()
    for (;;) {
      const server = this.#choose(failed, beside)
      if (server === undefined)
        throw new AdapterError('no media server is up', { isRetryable: true })
      try {
        return { endpoint: await server.createEndpoint(request), server }
      } catch (err) {
        failed.add(server.name)
        if (isRefusal(err) || this.#choose(failed, beside) === undefined) throw err
        this.#log.warn(
          { err, server: server.name },
          'could not create a channel on a media server; trying another',
        )
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ link }) => link.close()))
  }

  #choose(failed: ReadonlySet<string>, beside: string | undefined): MediaConnection | undefined {
    const up = this.#members.flatMap(({ name, server: { weight }, link: { connection } }) =>
      connection === undefined || connection.isLost || failed.has(name)
        ? []
        : [{ ...connection.load, name, weight, connection }],
    )
    const near = up.find(({ name }) => name === beside)
    const open = up.filter(({ name }) => !this.#drained.has(name))
    return (near ?? chooseServer(open))?.connection
  }
}

/**
 * Returns the combined load of several servers. A new call can get the fastest one, so each counts as equally
 * fast: one slow server must not make us refuse calls that the others can serve.
 */
export function joinedLoad(loads: readonly Load[]): Load {
  const [quickest] = loads.toSorted((one, other) => one.delayMs - other.delayMs)
  if (quickest === undefined) return { delayMs: 0, underWay: 0, perSecond: 0, done: [] }
  return {
    delayMs: quickest.delayMs,
    underWay: quickest.underWay * loads.length,
    perSecond: loads.reduce((sum, { perSecond }) => sum + perSecond, 0),
    done: quickest.done,
  }
}

/** True when the server understood the peer's offer and refused it: another server would refuse it too. */
function isRefusal(err: unknown): boolean {
  return err instanceof EndpointRefusedError && err.sipStatus < 500
}
