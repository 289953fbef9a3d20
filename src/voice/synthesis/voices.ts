import type { FliteVoice } from '../../platform/flite/flite.js'

/**
 * Which built-in voice stands for a voice name of the convention: an American man and woman, and a
 * Scottish man.
 */
export type BuiltInVoice = FliteVoice

/** Names whose voice is a man's; every other named voice is spoken by a woman's. */
const MEN = new Set(
  (
    'Matthew Joey Justin Kevin Stephen Gregory Brian Arthur Russell Geraint Hans Daniel Mathieu Remi ' +
    'Liam Enrique Miguel Andres Sergio Pedro Giorgio Adriano Takumi Ruben Jacek Ola ' +
    'Ricardo Thiago Cristiano Maxim Zayed Patrick ' +
    // the many-voiced engines name theirs after stars and moons
    'Charon Fenrir Orus Puck Achird Algenib Algieba Alnilam Enceladus Iapetus Rasalgethi Sadachbia ' +
    'Sadaltager Schedar Umbriel Zubenelgenubi'
  ).split(' '),
)

export function isKnownVoice(voice: string): boolean {
  return /^(?:man|woman|alice|(?:Polly|Google)\.[\p{L}\p{N}_-]{1,80})$/u.test(voice)
}

/** Longest text that may be spoken at once, in characters (documented per kind of voice). */
export function maxTextLength(voice: string | undefined): number {
  if (voice?.startsWith('Polly.') === true) return 3000
  return voice?.startsWith('Google.') === true ? 5000 : 4096
}

/** Any name and language gets a voice, an unknown name the usual one; languages other than English are spoken with an English one. */
export function builtInVoice(
  voice: string | undefined,
  language: string | undefined,
): BuiltInVoice {
  if (!isMan(voice === undefined || isKnownVoice(voice) ? voice : undefined)) return 'slt'
  const region = language ?? /\.([a-z]{2}-[A-Z]{2})-/.exec(voice ?? '')?.[1] ?? ''
  const isBritish = /^en-(GB|IE)/i.test(region) || /\.(Brian|Arthur|Geraint)\b/.test(voice ?? '')
  return isBritish ? 'awb' : 'rms'
}

function isMan(voice: string | undefined): boolean {
  if (voice === undefined || voice === 'man') return true
  if (voice === 'woman' || voice === 'alice') return false
  // Andrés, Rémi: the table has them without accents.
  const [, name = ''] = voice
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .split('.')
  // Google.en-US-Wavenet-B, Google.en-US-Chirp3-HD-Puck, Polly.Matthew-Neural
  const last = name.split('-').at(-1) ?? ''
  const first = name.split('-')[0] ?? ''
  return MEN.has(first) || MEN.has(last) || isMansLetter(name, last)
}

/** Lettered voices: B and D are men's in nearly every language, in American English also A, I and J. */
function isMansLetter(name: string, letter: string): boolean {
  return (name.startsWith('en-US') ? ['A', 'B', 'D', 'I', 'J'] : ['B', 'D']).includes(letter)
}
