/** A piece of decoded sound: one channel, −1 … 1. */
export interface AudioBlock {
  readonly rate: number
  readonly samples: Float32Array
}

/** Frames per block: some tens of milliseconds, so that an hour of sound is never held at once. */
export const BLOCK_FRAMES = 8192
