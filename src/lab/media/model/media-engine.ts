/** The lab's media engine as the main thread sees it. */
import type { Logger } from '../../../platform/log.js'
import type { EndpointEvents, MediaEndpoint, MediaRoom } from './media-endpoint.js'

export interface MediaEngineOptions {
  /** The address to bind RTP sockets to and to announce in SDP. */
  readonly host: string
  /** The even ports, first and last of the range; 0–0 lets the system choose (tests, phones). */
  readonly rtpPorts: { readonly first: number; readonly last: number }
  /** The addresses and CIDRs of media relays: RTP may come from there, whatever the SDP says. */
  readonly mediaRelays?: readonly string[]
  /** The file that the media thread runs; tests that run from source name the built one. */
  readonly workerFile?: URL
  /** Called when the media thread has failed: every endpoint is closed, and none can be opened. */
  readonly onFailure?: (error: Error) => void
  /**
   * The log, which gets the engine's faults too. A process warning is emitted when neither this nor
   * `onFailure` is given.
   */
  readonly log?: Logger
}

export interface MediaEngine extends AsyncDisposable {
  /** Binds a port; rejects with NoPortError when the range is used up. */
  open(events: EndpointEvents): Promise<MediaEndpoint>
  /** Opens a room whose members hear each other. Throws MediaClosedError. */
  openRoom(events: Pick<EndpointEvents, 'onFailed'>): MediaRoom
  stats(): Promise<EngineStats>
}

export interface EngineStats {
  readonly endpoints: number
  readonly openFiles: number
  readonly ticks: number
  /** Lateness of the 20 ms tick since the last call of `stats`, ms. */
  readonly tickLatenessMs: {
    readonly p50: number
    readonly p95: number
    readonly p99: number
    readonly max: number
  }
  readonly packetsSent: number
  readonly packetsReceived: number
  /** Number of ignored packets: not RTP, of an unknown payload type, or not from the peer. */
  readonly packetsIgnored: number
}

export class NoPortError extends Error {
  override readonly name = 'NoPortError'
}

/** Thrown when the endpoint or the whole engine is closed. */
export class MediaClosedError extends Error {
  override readonly name = 'MediaClosedError'
}
