import { expect, it } from 'vitest'
import {
  type SpeechSegment,
  speechSegments,
} from '../../../../../src/voice/markup/parse/speech-segments.js'
import { verbOf } from './support.js'

const text = (words: string, language: string | undefined = 'en-US'): SpeechSegment => ({
  type: 'text',
  text: words,
  language,
})
const silence = (durationMs: number): SpeechSegment => ({ type: 'silence', durationMs })

it.each<[string, string, SpeechSegment[]]>([
  ['text is one breath', ' Hello\n   there ', [text('Hello there')]],
  ['CDATA and entities', 'a &lt; <![CDATA[b & c]]>', [text('a < b & c')]],
  ['break time in seconds', 'a<break time="1.5s"/>b', [text('a'), silence(1500), text('b')]],
  ['break time in milliseconds', 'a<break time="250ms"/>', [text('a'), silence(250)]],
  ['break of ten seconds at most', '<break time="99999s"/>', [silence(10_000)]],
  ['break by strength', 'a<break strength="x-strong"/>b', [text('a'), silence(1000), text('b')]],
  ['break without attributes', 'a<break/>b', [text('a'), silence(400), text('b')]],
  ['break of nothing', 'a<break strength="none"/>b', [text('a'), text('b')]],
  ['break of nonsense', 'a<break time="soon"/>b', [text('a'), silence(400), text('b')]],
  ['sub', 'the <sub alias="World Wide Web">WWW</sub> is', [text('the World Wide Web is')]],
  ['say-as characters', '<say-as interpret-as="characters">AB1</say-as>', [text('A B 1')]],
  ['say-as telephone', 'call<say-as interpret-as="telephone">555</say-as>', [text('call 5 5 5')]],
  ['say-as date', '<say-as interpret-as="date">1/2</say-as>', [text('1/2')]],
  [
    'prosody is spoken plainly',
    '<prosody rate="slow">slow <emphasis>er</emphasis></prosody>',
    [text('slow er')],
  ],
  ['another language', 'a <lang xml:lang="en-GB">b</lang>', [text('a'), text('b', 'en-GB')]],
  ['paragraphs', '<p>a</p><p>b</p>', [text('a'), silence(400), text('b'), silence(400)]],
  ['sentences', '<s>a</s><s>b</s>', [text('a'), text('b')]],
])('%s', (_title, body, segments) => {
  const { verb } = verbOf('say', `<Say>${body}</Say>`)
  expect(speechSegments(verb.content, 'en-US')).toEqual(segments)
})

it('a long text is spoken in sentences, none of them very short', () => {
  const sentence = 'Your call is important to us, and Mr. Jones answers at 10.30 a.m. today. '
  const { verb } = verbOf('say', `<Say>${`${sentence}Yes. `.repeat(8)}</Say>`)
  const parts = speechSegments(verb.content, undefined)
  const texts = parts.map((part) => (part.type === 'text' ? part.text : ''))
  expect(texts.length).toBeGreaterThan(3)
  expect(texts.join(' ')).toBe(`${sentence}Yes. `.repeat(8).trim())
  for (const part of texts) {
    expect(part).toMatch(/\.$/)
    expect(part.length).toBeGreaterThan(40)
    expect(part.length).toBeLessThan(200)
  }
})
