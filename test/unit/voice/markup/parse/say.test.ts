/**
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | voice | man, woman, alice, Google.…, Polly.…; others for an engine of one's own | the account's | 13511 |
 * | language | language tag | the account's | 13512 |
 * | loop | whole number from 0; 0 = up to 1000 times | 1 | 13510 |
 * | (text) | text and SSML | – | 13520 empty, 13521 too long |
 */
import { describe, expect, it } from 'vitest'
import { collapse, textOf } from '../../../../../src/voice/markup/parse/text.js'
import type { XmlNode } from '../../../../../src/voice/markup/parse/xml.js'
import { documentOf, verbOf } from './support.js'

const textIn = (node: XmlNode): string => (node.type === 'text' ? node.text : textOf(node))

const say = (attributes: string, text = 'Hello') =>
  verbOf('say', `<Say ${attributes}>${text}</Say>`)

it('without attributes', () => {
  const { verb, codes } = say('')
  expect(verb).toMatchObject({ voice: undefined, language: undefined, times: 1 })
  expect(verb.content).toEqual([{ type: 'text', text: 'Hello' }])
  expect(codes).toEqual([])
})

describe('voice', () => {
  it.each([
    'man',
    'woman',
    'alice',
    'Polly.Joanna-Neural',
    'Google.en-US-Chirp3-HD-Puck',
  ])('%s', (voice) => {
    expect(say(`voice="${voice}"`)).toMatchObject({ verb: { voice }, codes: [] })
  })
  it.each(['womn', 'Man', 'Polly.', ''])('wrong: "%s"', (voice) => {
    expect(say(`voice="${voice}"`)).toMatchObject({ verb: { voice }, codes: [13511] })
  })
})

describe('language', () => {
  it.each(['en-US', 'arb', 'cmn-CN', 'en-GB-WLS'])('%s', (language) => {
    expect(say(`language="${language}"`)).toMatchObject({ verb: { language }, codes: [] })
  })
  it.each(['english please', 'e', ''])('wrong: "%s"', (language) => {
    expect(say(`language="${language}"`)).toMatchObject({
      verb: { language: undefined },
      codes: [13512],
    })
  })
})

describe('loop', () => {
  it.each([
    ['1', 1],
    ['3', 3],
    ['0', 1000],
    ['5000', 1000],
  ])('%s → %d times', (loop, times) => {
    expect(say(`loop="${loop}"`)).toMatchObject({ verb: { times }, codes: [] })
  })
  it.each(['-1', 'two', '1.5', ''])('wrong: "%s"', (loop) => {
    expect(say(`loop="${loop}"`)).toMatchObject({ verb: { times: 1 }, codes: [13510] })
  })
})

describe('text', () => {
  it.each(['', '  \n', '<!-- nothing -->'])('empty: "%s"', (text) => {
    expect(say('', text)).toMatchObject({ verb: { content: [] }, codes: [13520] })
  })
  it.each([
    ['', 4096],
    ['voice="Polly.Amy"', 3000],
    ['voice="Google.en-US-Standard-A"', 5000],
  ])('%s holds %d characters', (attributes, length) => {
    expect(say(attributes, 'a'.repeat(length)).codes).toEqual([])
    expect(say(attributes, 'a'.repeat(length + 1))).toMatchObject({
      verb: { content: [] },
      codes: [13521],
    })
  })
  it('SSML without text is not empty', () => {
    expect(say('', '<break time="1s"/>').codes).toEqual([])
  })
})

describe('an inline tag that SSML does not have', () => {
  it.each([
    ['of HTML', 'Hello <b>bold</b> world', 'Hello bold world', 1],
    ['around tags that it has', '<font>a <s>b</s></font>', 'a b', 1],
    ['inside others', '<p>a <i>b <u>c</u></i></p>', 'a b c', 2],
    ['inside one that has text alone', '<sub>a<br/> b</sub>', 'a b', 1],
    ['of another engine', '<speak><amazon:effect name="x">a</amazon:effect></speak>', 'a', 1],
    ['of a whole document', '<speak>a <s>b</s></speak>', 'a b', 0],
    ['in a wrong place', '<s>a <p>b</p></s>', 'a b', 1],
  ])('%s is left out, and its text is spoken', (_title, text, spoken, warned) => {
    const { verb, codes } = say('', text)
    expect(collapse(textOf(verb.element))).toBe(spoken)
    expect(collapse(verb.content.map(textIn).join(''))).toBe(spoken)
    expect(codes).toEqual(Array(warned).fill(12200))
  })

  it('that is a verb is left out with its content', () => {
    expect(say('', 'a <Play>http://app.example/b.wav</Play>')).toMatchObject({
      verb: { content: [{ type: 'text', text: 'a ' }] },
      codes: [12200],
    })
  })

  it('is named in the warning, which says that its text is spoken', () => {
    const [warning] = documentOf('<Say>a <b>c</b></Say>').warnings
    expect(warning?.message).toBe('<Say> cannot contain <b>; its text is spoken')
  })
})

describe('values of SSML', () => {
  it.each([
    '<break/>',
    '<break time="1.5s" strength="x-strong"/>',
    '<emphasis level="none">a</emphasis>',
    '<lang xml:lang="fr-FR">a</lang>',
    '<prosody rate=" 120% " volume="+6dB" pitch="-2st"><prosody rate="x-slow" pitch="high">a</prosody></prosody>',
    '<say-as interpret-as="date" format="mdy">1/2/2026</say-as>',
    '<sub>a</sub>',
  ])('%s', (text) => {
    expect(say('', text).codes).toEqual([])
  })

  it.each([
    ['<break time="soon"/>', 1],
    ['<break strength="huge"/>', 1],
    ['<emphasis level="loud">a</emphasis>', 1],
    ['<lang xml:lang="french please">a</lang>', 1],
    ['<p><prosody rate="quick" volume="11" pitch="squeaky">a</prosody></p>', 3],
    ['<say-as interpret-as="poem">a</say-as>', 1],
    ['<say-as format="mdy">a</say-as>', 1],
  ])('wrong: %s', (text, count) => {
    const { verb, codes } = say('', text)
    expect(codes).toEqual(Array(count).fill(12200))
    expect(verb.content).toHaveLength(1)
  })
})
