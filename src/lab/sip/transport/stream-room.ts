/**
 * The room for connections that peers make. A source whose requests were accepted, a registered
 * softphone or a carrier, may fill it all; strangers get a part, each address of theirs a small one,
 * and each of their connections a short life. The oldest of them goes when there is no room for a new one.
 */
import type { Socket } from 'node:net'
import type { SipLimits } from '../model/stack-types.js'
import { Timers } from './timers.js'

export type RoomLimits = Pick<
  SipLimits,
  | 'tcpConnections'
  | 'tcpConnectionsPerSource'
  | 'tcpStrangers'
  | 'tcpStrangersPerSource'
  | 'tcpStrangerMs'
>

export class StreamRoom implements Disposable {
  readonly #limits: RoomLimits
  readonly #isKnown: (address: string) => boolean
  /** The connections of each address; one that has none is forgotten. */
  readonly #held = new Map<string, Set<Socket>>()
  /** Connections of addresses that were strangers when they came, the oldest first. */
  readonly #strangers = new Map<Socket, string>()
  readonly #lives = new Timers()

  constructor(limits: RoomLimits, isKnown: (address: string) => boolean) {
    this.#limits = limits
    this.#isKnown = isKnown
  }

  /** Takes the connection in; false when there is no room. `size` is that of all, our own too. */
  take(socket: Socket, address: string, size: number): boolean {
    const { tcpConnections, tcpConnectionsPerSource, tcpStrangers, tcpStrangersPerSource } =
      this.#limits
    const isKnown = this.#isKnown(address)
    const held = this.#held.get(address) ?? new Set()
    const most = Math.min(tcpConnectionsPerSource, isKnown ? Infinity : tcpStrangersPerSource)
    if (held.size >= most) return false
    const isFull = size >= tcpConnections
    const lacksRoom = isFull || (!isKnown && this.#strangers.size >= tcpStrangers)
    if (lacksRoom && !this.#makeRoom(isFull)) return false
    this.#held.set(address, held.add(socket))
    socket.once('close', () => {
      held.delete(socket)
      if (held.size === 0) this.#held.delete(address)
    })
    if (!isKnown) this.#limitLife(socket, address)
    return true
  }

  [Symbol.dispose](): void {
    this.#lives[Symbol.dispose]()
  }

  #limitLife(socket: Socket, address: string): void {
    this.#strangers.set(socket, address)
    const life = this.#lives.arm(this.#limits.tcpStrangerMs, () => {
      if (!this.#isKnown(address)) socket.destroy()
      else this.#strangers.delete(socket)
    })
    socket.once('close', () => {
      this.#lives.disarm(life)
      this.#strangers.delete(socket)
    })
  }

  /** Drops the oldest stranger. One that has become known since it came leaves room to strangers only. */
  #makeRoom(isFull: boolean): boolean {
    for (const [socket, address] of this.#strangers) {
      this.#strangers.delete(socket)
      if (!this.#isKnown(address)) {
        socket.destroy()
        return true
      }
      if (!isFull) return true
    }
    return false
  }
}
