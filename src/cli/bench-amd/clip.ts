import type { AnsweredBy } from '../../voice/amd/amd.js'
import type { Samples } from './speech.js'

export type ClipKind =
  | 'person'
  /** Speaks longer at first than the default threshold allows a person. */
  | 'person-long'
  | 'machine'
  /** Shorter than the threshold: only its beep tells. */
  | 'machine-short'
  | 'beep'
  | 'information-tones'
  | 'fax'
  | 'ringback'
  | 'busy'
  | 'music'
  | 'silence'
  /** Conversation, for false beeps only. */
  | 'talk'

/** Times in ms from the clip's start. */
export interface Clip {
  readonly kind: ClipKind
  readonly audio: Samples
  /** When the first burst of speech ends, or the deciding tone. */
  readonly decidedMs: number
  readonly beep: { readonly startMs: number; readonly endMs: number } | undefined
  /** When the greeting ends. */
  readonly speechEndMs: number
  /** Milliseconds of speech in all. */
  readonly speechMs: number
}

/** The right verdict of mode `enable`. */
export const RIGHT: Readonly<Record<ClipKind, readonly AnsweredBy[]>> = {
  person: ['human'],
  'person-long': ['human'],
  machine: ['machine_start'],
  'machine-short': ['machine_start'],
  beep: ['machine_start'],
  'information-tones': ['machine_start'],
  fax: ['fax'],
  ringback: ['unknown'],
  busy: ['unknown'],
  music: ['machine_start', 'unknown'],
  silence: ['unknown'],
  talk: ['machine_start'],
}
