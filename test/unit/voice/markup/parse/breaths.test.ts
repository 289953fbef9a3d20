import { describe, expect, it } from 'vitest'
import { inBreaths } from '../../../../../src/voice/markup/parse/speech-segments.js'

const SENTENCE =
  'Your call is important to us, and Mr. Jones of the department answers at 10.30 a.m. today. '

describe('a long text', () => {
  it.each([
    ['at a clause', SENTENCE.repeat(3), 'Your call is important to us, '],
    ['at a sentence', `Welcome to Example Ltd. ${SENTENCE.repeat(3)}`, 'Welcome to Example Ltd. '],
    [
      'before a word that joins',
      'Every customer is the most valued person that we ever know '.repeat(4),
      'Every customer is the most valued person ',
    ],
    ['between words', 'word '.repeat(100), 'word '.repeat(12)],
    ['where it must, without spaces', 'x'.repeat(300), 'x'.repeat(60)],
    ['between words without spaces', '你好，世界'.repeat(100), '你好，世界'.repeat(11) + '你好，'],
  ])('begins with a short breath, which ends %s', (_title, text, first) => {
    const breaths = inBreaths(text, 'first')
    expect(breaths[0]).toBe(first)
    expect(breaths.join('')).toBe(text)
    for (const breath of breaths) expect(breath.length).toBeLessThanOrEqual(200)
  })

  it('goes on in longer breaths', () => {
    const [, ...more] = inBreaths(SENTENCE.repeat(10), 'first')
    expect(more.length).toBeLessThan(12)
  })

  it('has no short breath when something was said before', () => {
    expect(inBreaths(SENTENCE.repeat(3), 'later')[0]).toBe(SENTENCE)
  })
})

it('a short text is one breath', () => {
  expect(inBreaths(SENTENCE, 'first')).toEqual([SENTENCE])
  expect(inBreaths(' ', 'first')).toEqual([' '])
})
