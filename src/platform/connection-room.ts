/**
 * Limits the connections of peers. Known sources, whose requests were accepted or whose credentials were right,
 * may use all of them. Strangers share a part, with a small limit per address and, where the listener sets one,
 * a short lifetime. A new connection at the limit closes the oldest idle stranger.
 */
import type { Socket } from 'node:net'
import { countedNetwork } from './cidr.js'

export interface RoomLimits {
  readonly connections: number
  /** Maximum open connections of one address. */
  readonly perSource: number
  /** Maximum open connections of all unknown addresses. */
  readonly strangers: number
  readonly strangersPerSource: number
  /** Lifetime of an unknown address's connection, ms; undefined: the listener has its own limits. */
  readonly strangerMs: number | undefined
}

/** What a listener knows about its peers. */
export interface RoomPeers {
  readonly isKnown: (address: string) => boolean
  /** True for a proxy's address, which has no limit per source. */
  readonly isProxy?: (address: string) => boolean
  /** True while a request of the connection is being answered. */
  readonly isBusy?: (socket: Socket) => boolean
}

export class ConnectionRoom {
  readonly #limits: RoomLimits
  readonly #isKnown: RoomPeers['isKnown']
  readonly #isProxy: NonNullable<RoomPeers['isProxy']>
  readonly #isBusy: NonNullable<RoomPeers['isBusy']>
  /** Open connections of each address; addresses without any are removed. */
  readonly #held = new Map<string, Set<Socket>>()
  /** Connections from addresses that were unknown at connect time, oldest first. */
  readonly #strangers = new Map<Socket, string>()

  constructor(
    limits: RoomLimits,
    { isKnown, isProxy = () => false, isBusy = () => false }: RoomPeers,
  ) {
    this.#limits = limits
    this.#isKnown = isKnown
    this.#isProxy = isProxy
    this.#isBusy = isBusy
  }

  /** Admits a connection; false at the limit. `size` counts all connections, our own too. */
  take(socket: Socket, address: string, size: number): boolean {
    const { connections, strangers } = this.#limits
    const isProxy = this.#isProxy(address)
    const isStranger = !isProxy && !this.#isKnown(address)
    const source = countedNetwork(address)
    const held = this.#held.get(source) ?? new Set()
    if (!isProxy && held.size >= this.#mostOf(isStranger)) return false
    const isFull = size >= connections
    const lacksRoom = isFull || (isStranger && this.#strangers.size >= strangers)
    if (lacksRoom && !this.#makeRoom(isFull)) return false
    this.#held.set(source, held.add(socket))
    socket.once('close', () => {
      held.delete(socket)
      if (held.size === 0) this.#held.delete(source)
    })
    if (isStranger) this.#watch(socket, address)
    return true
  }

  #mostOf(isStranger: boolean): number {
    const { perSource, strangersPerSource } = this.#limits
    return isStranger ? Math.min(perSource, strangersPerSource) : perSource
  }

  #watch(socket: Socket, address: string): void {
    const { strangerMs } = this.#limits
    const end = (): void => {
      if (!this.#isKnown(address)) socket.destroy()
      else this.#strangers.delete(socket)
    }
    const life = strangerMs === undefined ? undefined : setTimeout(end, strangerMs)
    this.#strangers.set(socket, address)
    socket.once('close', () => {
      clearTimeout(life)
      this.#strangers.delete(socket)
    })
  }

  /**
   * Closes the oldest idle stranger's connection, else the oldest. A source that has become known since it
   * connected is no longer a stranger; that alone makes room unless the listener `isFull`.
   */
  #makeRoom(isFull: boolean): boolean {
    let oldest: Socket | undefined
    for (const [socket, address] of this.#strangers) {
      if (this.#isKnown(address)) {
        this.#strangers.delete(socket)
        if (!isFull) return true
        continue
      }
      oldest ??= socket
      if (this.#isBusy(socket)) continue
      this.#drop(socket)
      return true
    }
    if (oldest === undefined) return false
    this.#drop(oldest)
    return true
  }

  #drop(socket: Socket): void {
    this.#strangers.delete(socket)
    socket.destroy()
  }
}
