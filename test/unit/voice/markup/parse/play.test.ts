/**
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | loop | whole number from 0; 0 = up to 1000 times | 1 | 13410 |
 * | digits | 0-9 A-D # *, w, W; then no URL; not inside Gather | – | 13430, 13320 |
 * | (text) | URL | – | 11100 |
 */
import { describe, expect, it } from 'vitest'
import { verbOf } from './support.js'

const play = (attributes: string, text = 'http://a.example/b.mp3') =>
  verbOf('play', `<Play ${attributes}>${text}</Play>`)

it('a URL with white space around it', () => {
  expect(play('', '\n  /b.mp3?a=1&amp;b=2\n')).toMatchObject({
    verb: { times: 1, what: { type: 'url', url: '/b.mp3?a=1&b=2' } },
    codes: [],
  })
})

describe('loop', () => {
  it.each([
    ['2', 2],
    ['0', 1000],
    ['1001', 1000],
  ])('%s → %d times', (loop, times) => {
    expect(play(`loop="${loop}"`)).toMatchObject({ verb: { times }, codes: [] })
  })
  it.each(['-1', 'x', ''])('wrong: "%s"', (loop) => {
    expect(play(`loop="${loop}"`)).toMatchObject({ verb: { times: 1 }, codes: [13410] })
  })
})

describe('digits', () => {
  it('wins over a URL and needs none', () => {
    const digits = 'wW0123456789ABCD#*'
    expect(play(`digits="${digits}"`)).toMatchObject({
      verb: { what: { type: 'digits', digits } },
      codes: [],
    })
    expect(play(`digits="${digits}"`, '').codes).toEqual([])
  })
  it.each(['12E', '1 2', '1-800', ''])('wrong: "%s"', (digits) => {
    expect(play(`digits="${digits}"`)).toMatchObject({
      verb: { what: { type: 'url' } },
      codes: [13430],
    })
  })
  it('cannot be sent inside Gather', () => {
    const { verb, codes } = verbOf('gather', '<Gather><Play digits="1"/></Gather>')
    expect(codes).toEqual([13320])
    expect(verb.prompts).toMatchObject([{ type: 'play', what: { type: 'nothing' } }])
  })
})

it('no URL: nothing is played', () => {
  expect(play('', ' ')).toMatchObject({ verb: { what: { type: 'nothing' } }, codes: [11100] })
})
