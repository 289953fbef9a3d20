import type { BandToneName } from './band-tones.js'

export type ToneName =
  | 'beep'
  /** 2100 Hz from an answering fax machine (CED, ANSam). */
  | 'fax-answer'
  /** Half a second of 1100 Hz from a calling fax machine (CNG). */
  | 'fax-calling'
  /** The three rising tones before "the number you have dialled …". */
  | 'special-information'
  /** 480 and 620 Hz together: busy or reorder. */
  | 'busy'
  /** 440 and 480 Hz together: ringing. */
  | 'ringback'
  /** A single tone around 425 Hz before any speech: ringing or busy in many countries. */
  | 'call-progress'
  /** A pressed key (ITU-T Q.23). */
  | 'digit'
  | BandToneName
