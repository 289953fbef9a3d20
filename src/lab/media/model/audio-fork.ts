/**
 * A fork sends a channel's audio to a websocket, as mod_audio_fork does: text frames with JSON, binary
 * frames with 20 ms of 16-bit little-endian samples each. With `playout` it also plays what comes back.
 */

export interface ForkRequest {
  /** The URL, with the scheme `ws:` or `wss:`. */
  readonly url: string
  /**
   * The audio that is sent. `mono`: what the peer says, as it arrives. `mixed`: both directions in
   * one channel. `stereo`: the peer left, what it hears right. The last two send nothing while the
   * peer hears nothing.
   */
  readonly mix: 'mono' | 'mixed' | 'stereo'
  /** The sample rate, a multiple of 8000. */
  readonly sampleRate: number
  /** The text to send once connected; empty for none. */
  readonly metadata: string
  /** The rate at which binary frames of the far end are played. Without it they are ignored. */
  readonly playout?: { readonly sampleRate: number }
}

export type ForkEvent =
  | { readonly type: 'connected' }
  | { readonly type: 'connect-failed'; readonly reason: string }
  /** The far end disconnected; the fork stays, without a socket. */
  | { readonly type: 'disconnected' }
  | { readonly type: 'message'; readonly text: string }
  /** The far end reads too slowly and audio is being dropped. Reported once. */
  | { readonly type: 'buffer-overrun' }

export interface AudioForkHandle {
  sendText(text: string): void
  /** Pauses or resumes. Audio is not sent during a pause. */
  setPaused(isPaused: boolean): void
  /** Sends an empty binary frame, which asks the far end to finish. */
  shutDownGracefully(): void
  /** Drops returned audio that has not been played yet. */
  clearPlayout(): void
  /** Sends the text, closes the socket (1000) and resolves when it is closed. Safe to call again. */
  stop(text?: string): Promise<void>
}
