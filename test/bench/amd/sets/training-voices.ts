/**
 * Recorded voices that the voice network is trained on beside those of the tuning part. No figure is
 * taken on them, and none of them is in the frozen part.
 */
import type { RecordedFiles } from './clip-set.js'

const STAMPS = 'usr/share/tuxpaint/stamps'
/** The names of Tux Paint's stamps, spoken; those in English have no language in the file's name. */
const STAMP_LANGUAGES = ['be', 'bg', 'ca', 'da', 'el', 'es', 'fr', 'ro', 'ru', 'lt', 'nl'] as const
/** The lines of the characters of a game, by the start of the file's name; the hero's have none. */
const CHARACTERS = ['', 'D', 'VB', 'I', 'L', 'BJ', 'T', 'E', 'P', 'B', 'S'] as const
const MOST = 40

export const TRAINING_VOICES: readonly RecordedFiles[] = [
  ...STAMP_LANGUAGES.map((language) => stamps(`_desc_${language}[.]ogg$`)),
  stamps('_desc[.]ogg$'),
  ...CHARACTERS.map((character) => lines('drascula', 'en', character)),
  ...CHARACTERS.map((character) => lines('drascula-spanish', 'es', character)),
]

function stamps(names: string): RecordedFiles {
  return { package: 'tuxpaint-stamps-default', folder: STAMPS, names, most: MOST }
}

function lines(name: string, language: string, character: string): RecordedFiles {
  return {
    package: name,
    folder: `usr/share/scummvm/drascula/${language}`,
    names: `^${character}[0-9_]+[.]ALS$`,
    most: MOST,
    headless: { type: 'u8', hz: 11_025 },
  }
}
