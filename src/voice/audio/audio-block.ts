import { DomainError } from '../../platform/errors.js'

/** A block of decoded audio: one channel, −1 … 1. */
export interface AudioBlock {
  readonly rate: number
  readonly samples: Float32Array
}

/** Frames per block: some tens of milliseconds, so that an hour of audio is never in memory at once. */
export const BLOCK_FRAMES = 8192

/** The bytes are not audio of the stated format. The message may be shown to the sender. */
export class UnreadableAudioError extends DomainError {
  override readonly name = 'UnreadableAudioError'
  readonly code = 'audio-unreadable'
}

export const latin1 = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length))

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
