import { describe, expect, it } from 'vitest'
import { createFlite } from '../../../../src/platform/flite/flite.js'
import { toTelephoneWav } from '../../../../src/voice/audio/to-telephone.js'
import { speakable } from '../../../../src/voice/synthesis/speech.js'
import type { BuiltInVoice } from '../../../../src/voice/synthesis/voices.js'
import { rms, telephoneSamples } from '../../../support/sound/sound.js'

const flite = createFlite()
const speak = async (text: string, voice: BuiltInVoice = 'slt') =>
  telephoneSamples(await toTelephoneWav(await flite(text, voice), 'wav', 600_000))

describe('flite', () => {
  it.each<BuiltInVoice>([
    'slt',
    'rms',
    'awb',
  ])('%s speaks a sentence of plausible length', async (voice) => {
    const samples = await speak('Hello, this is a test sentence.', voice)
    expect(samples.length / 8000).toBeGreaterThan(1.2)
    expect(samples.length / 8000).toBeLessThan(4)
    expect(rms(samples)).toBeGreaterThan(0.02)
  })

  it('speaks a longer text longer', async () => {
    const [short, long] = [await speak('Yes.'), await speak('Yes. No. Yes. No. Yes. No.')]
    expect(long.length).toBeGreaterThan(short.length * 2)
  })

  it('takes what looks like an option for text', async () => {
    expect((await speak('-voice kal -o /etc/passwd')).length).toBeGreaterThan(8000)
  })

  it('has no words about experiments', async () => {
    const warnings: Error[] = []
    const listener = (warning: Error): number => warnings.push(warning)
    process.on('warning', listener)
    await speak('Hello.')
    process.off('warning', listener)
    expect(warnings).toEqual([])
  })
})

it.each<[string, string | undefined]>([
  ['Hello', 'Hello'],
  ['  a \n b\t', 'a b'],
  ['“Don’t”—she said…', '"Don\'t", she said.'],
  ['Café Zürich, señor Łukasz', 'Cafe Zurich, senor lukasz'],
  ['€5.50 or £3', '5.50 euros or 3 pounds'],
  ['21°', '21 degrees'],
  ['thumbs 👍 up', 'thumbs up'],
  ['line\u2028break\u0000', 'line break'],
  ['ＡＢＣ', 'ABC'],
  ['你好', undefined],
  ['… !', undefined],
  ['', undefined],
])('speakable: %s', (written, said) => {
  expect(speakable(written)).toBe(said)
})
