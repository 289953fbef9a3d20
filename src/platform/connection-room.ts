/**
 * The room for connections that peers make. A source that is known, because its requests were accepted or
 * its credentials were right, may fill it all; strangers get a part, each address of theirs a small one,
 * and, where a listener says so, each of their connections a short life. The oldest of them that is not
 * busy goes when there is no room for a new one.
 */
import type { Socket } from 'node:net'
import { countedNetwork } from './cidr.js'

export interface RoomLimits {
  readonly connections: number
  /** The connections that one address may have open; the rest stay free for others. */
  readonly perSource: number
  /** The connections of addresses that are not known. */
  readonly strangers: number
  readonly strangersPerSource: number
  /** The time that such a connection lives; undefined: the listener has limits of its own. */
  readonly strangerMs: number | undefined
}

/** What a listener knows of those who connect. */
export interface RoomPeers {
  readonly isKnown: (address: string) => boolean
  /** True for an address that brings the connections of many, without a limit of its own. */
  readonly isProxy?: (address: string) => boolean
  /** True while a request of the connection is being answered. */
  readonly isBusy?: (socket: Socket) => boolean
}

export class ConnectionRoom {
  readonly #limits: RoomLimits
  readonly #isKnown: RoomPeers['isKnown']
  readonly #isProxy: NonNullable<RoomPeers['isProxy']>
  readonly #isBusy: NonNullable<RoomPeers['isBusy']>
  /** The connections of each address; one that has none is forgotten. */
  readonly #held = new Map<string, Set<Socket>>()
  /** Connections of addresses that were strangers when they came, the oldest first. */
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

  /** Takes the connection in; false when there is no room. `size` is that of all, our own too. */
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

  /** Drops a stranger. One that has become known since it came leaves room to strangers only. */
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
