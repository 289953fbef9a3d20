import { describe, expect, it } from 'vitest'
import { SpeechDetector, type SpeechEdge } from '../../../../src/voice/amd/speech-detector.js'
import { join, noise, type Sound, silence, speech, tone } from './sounds.js'

const FRAME = 160

function edgesOf(sound: Sound, endSilenceMs = 800): readonly SpeechEdge[] {
  const detector = new SpeechDetector({ endSilenceMs })
  const edges: SpeechEdge[] = []
  for (let at = 0; at + FRAME <= sound.length; at += FRAME) {
    const edge = detector.push(sound.subarray(at, at + FRAME))
    if (edge !== undefined) edges.push(edge)
  }
  return edges
}

const typesOf = (sound: Sound) => edgesOf(sound).map(({ type }) => type)

describe('speech', () => {
  it('has a beginning and an end, at most 200 ms from where they are', () => {
    const [began, ended, ...more] = edgesOf(join(silence(1000), speech(1500), silence(1500)))
    expect([began?.type, ended?.type, more]).toEqual(['began', 'ended', []])
    expect(Math.abs((began?.frame ?? 0) * 20 - 1000)).toBeLessThanOrEqual(200)
    expect(Math.abs((ended?.frame ?? 0) * 20 - 2500)).toBeLessThanOrEqual(200)
  })

  it('goes on over a pause that is shorter than the silence at its end', () => {
    const twice = join(silence(500), speech(1200), silence(500), speech(1200), silence(1500))
    expect(typesOf(twice)).toEqual(['began', 'ended'])
    expect(edgesOf(twice, 300)).toHaveLength(4)
  })

  it('is found again after each end', () => {
    const one = join(speech(1200), silence(1500))
    expect(typesOf(join(silence(500), one, one, one))).toHaveLength(6)
  })

  it('has no end while it lasts', () => {
    expect(typesOf(join(silence(500), speech(3000)))).toEqual(['began'])
  })
})

describe('what is no speech', () => {
  const cough = noise(150, -18)
  it.each([
    ['silence', silence(4000)],
    ['noise', noise(4000, -35)],
    ['a tone', join(silence(500), tone([440], 1500), silence(1500))],
    ['a dialled digit', join(silence(500), tone([770, 1336], 200), silence(1500))],
    ['a click', join(silence(500), noise(20, -10), silence(1500))],
    ['a cough', join(silence(600), cough, silence(150), cough, silence(1500))],
  ])('%s', (_name, sound) => {
    expect(typesOf(sound)).toEqual([])
  })
})

it('takes whole frames only', () => {
  const detector = new SpeechDetector({ endSilenceMs: 800 })
  expect(() => detector.push(new Int16Array(80))).toThrow(RangeError)
})
