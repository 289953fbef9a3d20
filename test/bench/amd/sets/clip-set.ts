/** The ingredients of a set of clips. Two sets share no voice, no text and no seed. */
export interface ClipSet {
  readonly name: 'tuning' | 'frozen'
  readonly seed: number
  /** The voices, each as `espeak:<voice>` or `flite:<voice>`. */
  readonly voices: readonly string[]
  readonly foreign: readonly Foreign[]
  /** Sentences that people answer with, from one word to a business greeting. */
  readonly people: readonly string[]
  /** Greetings of voicemails and announcements, from seconds to half a minute. */
  readonly machines: readonly string[]
  /** Greetings so short that only the beep tells. */
  readonly shortMachines: readonly string[]
  /** Conversation, which must never be heard as a beep. */
  readonly talk: readonly string[]
  /** Voices of people who were recorded; no voice and no language contributor is in both sets. */
  readonly recorded: readonly RecordedFiles[]
  readonly music: readonly RecordedFiles[]
  /** Short sounds, which noises of streets and kitchens have among others. */
  readonly effects: readonly RecordedFiles[]
}

/** Recorded files of one Debian package, for example those of one voice. */
export interface RecordedFiles {
  readonly package: string
  /** The folder in the package. */
  readonly folder: string
  /** A regular expression for the names below the folder. */
  readonly names: string
  /** The most files that are taken. */
  readonly most: number
  /** How the samples are coded where the files have no head that says it. */
  readonly headless?: { readonly type: 'u8'; readonly hz: number }
}

/** A language other than English. */
export interface Foreign {
  readonly voices: readonly string[]
  readonly people: readonly string[]
  readonly machines: readonly string[]
}
