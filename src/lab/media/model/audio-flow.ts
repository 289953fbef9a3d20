/**
 * The interfaces between the parts of a tick. Each tick every endpoint first takes what its peer
 * said (`heard`), then makes what its peer is to hear (`said`) and sends it. In between, a bridge
 * or a room can read everything that was heard. A feed gives an endpoint the sound of a bridge or
 * an echo; a tap listens without changing anything.
 */

/** Something that plays, once, from its beginning to its end. */
export interface AudioSource {
  /**
   * Fills `into` from `start` on. Fewer samples than asked for mean that the source is over. Never
   * blocks: a source that waits for its disk yields silence.
   */
  read(into: Int16Array, start: number): number
  close(): void
}

/** The sound that an endpoint's peer hears while nothing plays. */
export interface Feed {
  /** Fills the whole frame; false when there is nothing to hear. */
  fill(into: Int16Array): boolean
}

/** Adds to what the peer hears, in every frame that has sound. */
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

/** Receives in each tick what the peer said and what it was sent. */
export interface Tap {
  /** Takes a tick. Without sound nothing is being played, and `said` is silence. */
  write(heard: Int16Array, said: Int16Array, hasSound: boolean): void
  /** Called when the endpoint closes. Resolves when nothing is left open. */
  close(): Promise<void>
}
