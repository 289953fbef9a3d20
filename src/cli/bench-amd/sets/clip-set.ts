/** What a set of clips is made of. Two sets share nothing: neither voices, nor texts, nor seed. */
export interface ClipSet {
  readonly name: 'tuning' | 'frozen'
  readonly seed: number
  /** `espeak:<voice>` or `flite:<voice>`. */
  readonly voices: readonly string[]
  readonly foreign: readonly Foreign[]
  /** What people answer with, from one word to a business greeting. */
  readonly people: readonly string[]
  /** What voicemails and announcements say; seconds to half a minute. */
  readonly machines: readonly string[]
  /** So short that only the beep tells. */
  readonly shortMachines: readonly string[]
  /** Conversation: must never be heard as a beep. */
  readonly talk: readonly string[]
}

/** Another language than English. */
export interface Foreign {
  readonly voices: readonly string[]
  readonly people: readonly string[]
  readonly machines: readonly string[]
}
