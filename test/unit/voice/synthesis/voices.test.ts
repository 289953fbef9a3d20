import { expect, it } from 'vitest'
import {
  builtInVoice,
  isKnownVoice,
  maxTextLength,
} from '../../../../src/voice/synthesis/voices.js'

it.each<[string | undefined, string | undefined, string]>([
  [undefined, undefined, 'rms'],
  ['man', undefined, 'rms'],
  ['man', 'en-GB', 'awb'],
  ['woman', 'en-GB', 'slt'],
  ['alice', 'fr-FR', 'slt'],
  ['Polly.Joanna', undefined, 'slt'],
  ['Polly.Matthew-Neural', 'en-US', 'rms'],
  ['Polly.Brian', undefined, 'awb'],
  ['Polly.Amy', 'en-GB', 'slt'],
  ['Polly.Mía-Generative', undefined, 'slt'],
  ['Polly.Andrés-Neural', undefined, 'rms'],
  ['Google.en-US-Wavenet-A', undefined, 'rms'],
  ['Google.en-US-Wavenet-C', undefined, 'slt'],
  ['Google.en-GB-Standard-B', undefined, 'awb'],
  ['Google.en-US-Chirp3-HD-Puck', undefined, 'rms'],
  ['Google.en-US-Chirp3-HD-Kore', undefined, 'slt'],
  ['whatever', undefined, 'rms'],
  ['whatever', 'en-GB', 'awb'],
])('%s in %s is spoken by %s', (voice, language, builtIn) => {
  expect(builtInVoice(voice, language)).toBe(builtIn)
})

it('knows the names of the convention only', () => {
  expect(['man', 'Polly.X', 'Google.y-Z'].every(isKnownVoice)).toBe(true)
  expect(['', 'Man', 'Polly', 'Azure.x', 'man;rm'].some(isKnownVoice)).toBe(false)
})

it('texts of 4096, 3000 and 5000 characters', () => {
  expect(['man', 'Polly.Amy', 'Google.x', undefined].map(maxTextLength)).toEqual([
    4096, 3000, 5000, 4096,
  ])
})
