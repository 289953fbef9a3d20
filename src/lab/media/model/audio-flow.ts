/**
 * The interfaces between the parts of a tick. Each tick every endpoint first takes what its peer
 * said (`heard`), then makes what its peer is to hear (`said`) and sends it. In between, a bridge
 * or a room can read everything that was heard. A feed gives an endpoint the sound of a bridge or
 * an echo; a tap listens without changing anything.
 */

/** An audio source that plays once, from beginning to end. */
export interface AudioSource {
  /**
   * Fills `into` from `start` on. Returns fewer samples than requested only at the end. Never blocks: a
   * source that waits for the disk yields silence.
   */
  read(into: Int16Array, start: number): number
  close(): void
}

/** The audio for the peer while no playback is running. */
export interface Feed {
  /** Fills the whole frame. Returns false when there is no audio. */
  fill(into: Int16Array): boolean
}

/** Mixes audio into every frame with sound that the peer receives. */
export interface Dub {
  mixInto(said: Int16Array): void
}

/**
 * Receives the peer's packets as they arrive: sooner than at the tick, but with gaps and out of
 * order.
 */
export interface Arrival {
  /** Takes the first `count` samples, a packet's, which are overwritten after it; `at` is its timestamp. */
  onAudio(samples: Int16Array, count: number, at: number): void
}

/** Receives in each tick the audio from the peer and the audio sent to it. */
export interface Tap {
  /** Receives a tick's audio. Without `hasSound` nothing is being played, and `said` is silence. */
  write(heard: Int16Array, said: Int16Array, hasSound: boolean): void
  /** Called when the endpoint closes. Resolves when all its resources are released. */
  close(): Promise<void>
}
