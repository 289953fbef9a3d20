import { expect, it } from 'vitest'
import { TalkDetector } from '../../../../../src/lab/media/dsp/level.js'
import { sine } from '../../../../support/sound/tone.js'

const FRAMES: Readonly<Record<string, Int16Array>> = {
  '.': new Int16Array(160),
  '~': sine(440, 160, 200),
  '#': sine(440, 160, 2000),
}

/** One character a frame in; the state after each frame out. */
function watch(frames: string, hangoverMs: number): string {
  const detector = new TalkDetector(hangoverMs)
  let isTalking = false
  return Array.from(frames)
    .map((kind) => {
      isTalking = detector.onFrame(FRAMES[kind] ?? new Int16Array(160)) ?? isTalking
      return isTalking ? 'T' : '-'
    })
    .join('')
}

it.each([
  ['speech and quiet', '..####.......', 100, '---TTTTTTT---'],
  ['a click is no speech', '..#....#...', 100, '-----------'],
  ['syllables within the hang-over', '##..##..##....', 60, '-TTTTTTTTTTT--'],
  ['faint noise is quiet', '~~~~~~', 60, '------'],
])('%s', (_title, frames, hangoverMs, states) => {
  expect(watch(frames, hangoverMs)).toBe(states)
})
