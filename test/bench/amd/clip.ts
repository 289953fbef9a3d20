import type { AnsweredBy } from '../../../src/voice/amd/amd.js'
import type { BeepShape } from './beeps.js'
import type { Samples } from './speech.js'

export type ClipKind =
  | 'person'
  /** A person who speaks longer at first than the default threshold allows. */
  | 'person-long'
  | 'machine'
  /** A greeting shorter than the threshold: only its beep tells. */
  | 'machine-short'
  | 'beep'
  | 'information-tones'
  | 'fax'
  | 'ringback'
  | 'busy'
  | 'dial-tone'
  /** Digits in the band, or a cough. */
  | 'digits'
  | 'cough'
  | 'music'
  | 'silence'
  /** A conversation, used only to find false beeps. */
  | 'talk'

export interface Beep {
  readonly startMs: number
  readonly endMs: number
  readonly shape: BeepShape
}

/** One labelled clip. Times are in ms from the clip's start. */
export interface Clip {
  readonly kind: ClipKind
  /** The voice and text, or the recorded file. */
  readonly source: string
  readonly audio: Samples
  /** The time at which the first burst of speech ends, or the deciding tone. */
  readonly decidedMs: number
  readonly beep: Beep | undefined
  /** The time of the first sound. */
  readonly speechStartMs: number
  /** The time at which the greeting ends. */
  readonly speechEndMs: number
  /** The total length of the speech in milliseconds. */
  readonly speechMs: number
}

/** The right verdict of mode `enable` for each kind of clip. */
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
  'dial-tone': ['unknown'],
  digits: ['unknown'],
  cough: ['unknown'],
  music: ['machine_start', 'unknown'],
  silence: ['unknown'],
  talk: ['machine_start'],
}
