import { DomainError } from '../../platform/errors.js'

/** A piece of decoded sound: one channel, −1 … 1. */
export interface AudioBlock {
  readonly rate: number
  readonly samples: Float32Array
}

/** Frames per block: some tens of milliseconds, so that an hour of sound is never held at once. */
export const BLOCK_FRAMES = 8192

/** The bytes are not the audio that they are said to be. The message may be shown to the sender. */
export class UnreadableAudioError extends DomainError {
  override readonly name = 'UnreadableAudioError'
  readonly code = 'audio-unreadable'
}

export const latin1 = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length))

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
