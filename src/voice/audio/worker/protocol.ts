import type { FliteVoice } from '../../../platform/flite/flite.js'
import type { AudioFormat } from '../audio-format.js'

/** The tasks of the audio threads. The result is always the content of one telephone WAV file. */
export type AudioTask =
  | {
      readonly type: 'speak'
      readonly text: string
      readonly voice: FliteVoice
      readonly rate: number
      readonly gainDb: number
    }
  | {
      readonly type: 'convert'
      readonly file: Uint8Array
      readonly format: AudioFormat
      readonly maxDurationMs: number
    }

export interface AudioJob {
  readonly id: number
  readonly task: AudioTask
}

export type AudioAnswer =
  | { readonly id: number; readonly type: 'done'; readonly wav: Uint8Array }
  /** The file is not of the stated format. This is not a failure of the thread. */
  | { readonly id: number; readonly type: 'unreadable'; readonly message: string }
  | { readonly id: number; readonly type: 'failed'; readonly message: string }
