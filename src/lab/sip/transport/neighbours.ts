/**
 * Joins the stacks of one process: a datagram from one to another does not go through the system, which
 * would cost each of them as much as reading it.
 */
import type { SipNeighbours, SipPeer } from '../model/stack-types.js'

export class Neighbours implements SipNeighbours {
  readonly #ports = new Map<string, (bytes: Buffer, from: SipPeer) => void>()

  join(own: SipPeer, receive: (bytes: Buffer, from: SipPeer) => void): () => void {
    const key = keyOf(own)
    this.#ports.set(key, receive)
    return () => {
      this.#ports.delete(key)
    }
  }

  deliver(bytes: Buffer, from: SipPeer, to: SipPeer): boolean {
    const key = keyOf(to)
    if (!this.#ports.has(key)) return false
    setImmediate(() => {
      this.#ports.get(key)?.(bytes, from)
    })
    return true
  }
}

function keyOf({ address, port }: SipPeer): string {
  return `${address} ${port}`
}
