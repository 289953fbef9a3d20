import type { FliteVoice } from '../../platform/flite/flite.js'

/**
 * A voice of the built-in engine: an American man (rms) or woman (slt), or a Scottish man (awb).
 */
export type BuiltInVoice = FliteVoice

/** The names of men's voices; every other name is a woman's. */
const MEN = new Set(
  (
    'Matthew Joey Justin Kevin Stephen Gregory Brian Arthur Russell Geraint Hans Daniel Mathieu Remi ' +
    'Liam Enrique Miguel Andres Sergio Pedro Giorgio Adriano Takumi Ruben Jacek Ola ' +
    'Ricardo Thiago Cristiano Maxim Zayed Patrick ' +
    // engines with many voices name them after stars and moons
    'Charon Fenrir Orus Puck Achird Algenib Algieba Alnilam Enceladus Iapetus Rasalgethi Sadachbia ' +
    'Sadaltager Schedar Umbriel Zubenelgenubi'
  ).split(' '),
)

export function isKnownVoice(voice: string): boolean {
  return /^(?:man|woman|alice|(?:Polly|Google)\.[\p{L}\p{N}_-]{1,80})$/u.test(voice)
}

/** Maximum length of a spoken text in characters (documented for each vendor's voices). */
export function maxTextLength(voice: string | undefined): number {
  if (voice?.startsWith('Polly.') === true) return 3000
  return voice?.startsWith('Google.') === true ? 5000 : 4096
}

/**
 * The built-in voice for a voice name. An unknown name gets the default voice; every language gets an English
 * voice.
 */
export function builtInVoice(
  voice: string | undefined,
  language: string | undefined,
): BuiltInVoice {
  if (!isManVoice(voice)) return 'slt'
  const spoken = languageOf(voice, language) ?? ''
  const isBritish = /^en-(GB|IE)/i.test(spoken) || /\.(Brian|Arthur|Geraint)\b/.test(voice ?? '')
  return isBritish ? 'awb' : 'rms'
}

/** The language of the request, else of the voice's name; undefined for the engine's default. */
export function languageOf(
  voice: string | undefined,
  language: string | undefined,
): string | undefined {
  return language ?? /\.([a-z]{2,3}-[A-Z]{2})-/.exec(voice ?? '')?.[1]
}

/** True for a language that a built-in voice speaks. */
export function hasBuiltInVoice(language: string): boolean {
  return /^en(-|$)/i.test(language)
}

/** True for the name of a man's voice; the default voice is a man's. */
export function isManVoice(voice: string | undefined): boolean {
  return isMan(voice === undefined || isKnownVoice(voice) ? voice : undefined)
}

function isMan(voice: string | undefined): boolean {
  if (voice === undefined || voice === 'man') return true
  if (voice === 'woman' || voice === 'alice') return false
  // The table holds names without accents: Andres, Remi.
  const [, name = ''] = voice
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .split('.')
  // The last part names the voice: Google.en-US-Wavenet-B, Google.en-US-Chirp3-HD-Puck,
  // Polly.Matthew-Neural.
  const last = name.split('-').at(-1) ?? ''
  const first = name.split('-')[0] ?? ''
  return MEN.has(first) || MEN.has(last) || isMansLetter(name, last)
}

/**
 * True for the letter of a man's voice: B and D in nearly every language, in American English also
 * A, I and J.
 */
function isMansLetter(name: string, letter: string): boolean {
  return (name.startsWith('en-US') ? ['A', 'B', 'D', 'I', 'J'] : ['B', 'D']).includes(letter)
}
