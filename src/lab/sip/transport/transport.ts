import type { MessageLimits } from '../message/limits.js'
import type { Reading } from '../message/read-message.js'
import type { SipLimits, SipNeighbours, SipPeer, SipTransportName } from '../model/stack-types.js'
import type { Timers } from './timers.js'

export type ReadMessage = Extract<Reading, { type: 'message' }>

export interface TransportEvents {
  onMessage(reading: ReadMessage, from: SipPeer): void
  /** Called for bytes that were no message; nothing can be answered. */
  onGarbage(why: string, from: SipPeer): void
}

export interface TransportOptions {
  /** The host, a numeric address. */
  readonly host: string
  readonly port: number
  readonly limits: MessageLimits &
    Pick<
      SipLimits,
      | 'tcpConnections'
      | 'tcpConnectionsPerSource'
      | 'tcpStrangers'
      | 'tcpStrangersPerSource'
      | 'tcpStrangerMs'
      | 'tcpIdleMs'
      | 'tlsHandshakeMs'
    >
  /** True for an address whose requests were accepted: its connections are no stranger's. */
  readonly isKnown: (address: string) => boolean
  readonly timers: Timers
  /** The stacks of this process that are reached without the system. */
  readonly neighbours?: SipNeighbours | undefined
  readonly events: TransportEvents
}

export interface SendOptions {
  /** Called at most once, never before `send` has returned. */
  readonly onFailure: (error: Error) => void
  /** The port for a response when its connection is gone (RFC 3261 §18.2.2). */
  readonly fallbackPort?: number
}

export interface Transport extends AsyncDisposable {
  readonly name: SipTransportName
  readonly isReliable: boolean
  readonly port: number
  readonly connections: number
  /**
   * Resolves with true when the peer can be sent to; over TCP a connection is made when there was
   * none.
   */
  reach(to: SipPeer): Promise<boolean>
  send(bytes: Buffer, to: SipPeer, options: SendOptions): void
}
