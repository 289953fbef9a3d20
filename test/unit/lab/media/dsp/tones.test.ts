import { describe, expect, it } from 'vitest'
import { ToneGenerator } from '../../../../../src/lab/media/dsp/tone-generator.js'
import { TonePlayer } from '../../../../../src/lab/media/dsp/tone-player.js'
import { parseToneScript, ToneScriptError } from '../../../../../src/lab/media/dsp/tone-script.js'
import { rms, toneLevel, toneShare } from '../../../../support/sound/tone.js'

/** All of it, or the first ten seconds. */
function render(script: string, limit = 80_000): Int16Array {
  const player = new TonePlayer(parseToneScript(script))
  const samples = new Int16Array(limit)
  return samples.subarray(0, player.read(samples, 0))
}

describe('scripts', () => {
  it.each<[string, number]>([
    ['%(300,200,350,440)', 4000],
    ['%(300,200,350,440);loops=1', 4000],
    ['%(100,0,440);loops=3', 2400],
    ['%(100,0,440);loops=0', 800],
    ['%(100,0,440);loops=-1', 80_000],
    ['L=3;%(100,0,440)', 2400],
    ['l=2;%(100,0,440);%(50,0,880)', 2000],
    ['v=-20;%(100,0,440)', 800],
    ['%(10,0,440);%(20,0,880);;', 240],
    [' %(10,0,440) ; %(20,0,880)', 240],
    ['d=100;w=50;12', 2400],
    ['1(100,50)', 1200],
    ['%(100,100,0)', 1600],
    ['r=8000;c=1;%(100,0,440)', 800],
  ])('%s lasts %i samples', (script, samples) => {
    expect(render(script)).toHaveLength(samples)
  })

  it.each([
    '',
    'loops=2',
    '%(',
    '%(100)',
    '%(100,100)',
    '%(a,b,c)',
    'x=3',
    'v=loud',
    '%(-1,0,440)',
    '%(0,0,440)',
    'ring',
  ])('"%s" is refused', (script) => {
    expect(() => parseToneScript(script)).toThrow(ToneScriptError)
  })

  it('two tones share the level of one, as in FreeSWITCH', () => {
    const one = render('v=-7;%(500,0,440)')
    expect(toneLevel(one, 440)).toBeCloseTo(10_186, -2)
    const two = render('%(500,0,350,440)')
    expect(toneLevel(two, 350)).toBeCloseTo(5093, -2)
    expect(toneShare(two, 350) + toneShare(two, 440)).toBeCloseTo(1, 2)
  })

  it('on is the tone and off is silent', () => {
    const samples = render('%(100,100,600)')
    expect(toneShare(samples.subarray(0, 800), 600)).toBeGreaterThan(0.99)
    expect(rms(samples.subarray(800))).toBe(0)
  })

  it('fades by steps', () => {
    const samples = render('v=0;>=100;+=6;%(400,0,440)')
    expect(toneLevel(samples.subarray(2400, 3200), 440)).toBeCloseTo(
      toneLevel(samples.subarray(0, 800), 440) * 10 ** (-18 / 20),
      -2,
    )
  })

  it('keys are their two tones', () => {
    const samples = render('d=200;w=0;5')
    expect(toneShare(samples, 770)).toBeGreaterThan(0.45)
    expect(toneShare(samples, 1336)).toBeGreaterThan(0.45)
  })
})

it('a sine stays a sine for an hour', () => {
  const generator = new ToneGenerator()
  generator.start([440])
  for (let i = 0; i < 8000 * 3600; i++) generator.next()
  const samples = Int16Array.from({ length: 800 }, () => generator.next() * 10_000)
  expect(toneLevel(samples, 440)).toBeCloseTo(10_000, -2)
  expect(toneShare(samples, 440)).toBeGreaterThan(0.99)
})
