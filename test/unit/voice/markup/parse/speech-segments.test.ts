import { expect, it } from 'vitest'
import {
  type SpeechSegment,
  speechSegments,
} from '../../../../../src/voice/markup/parse/speech-segments.js'
import { verbOf } from './support.js'

type Markup = Extract<SpeechSegment, { type: 'text' }>['markup']

const text = (words: string, language = 'en-US', markup?: Markup): SpeechSegment => ({
  type: 'text',
  text: words,
  language,
  markup,
})
const marked = (words: string, ssml: string, more: Partial<Markup> = {}): SpeechSegment =>
  text(words, 'en-US', {
    ssml: `<speak>${ssml}</speak>`,
    rate: 1,
    gainDb: 0,
    unheard: [],
    ...more,
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
  [
    'say-as is put into words',
    'in <say-as interpret-as="date" format="ymd">2026-11-20</say-as> at <say-as interpret-as="time">9pm</say-as>',
    [
      marked(
        'in November twentieth, twenty twenty six at nine P M',
        'in <say-as interpret-as="date" format="ymd">2026-11-20</say-as> at <say-as interpret-as="time">9pm</say-as>',
      ),
    ],
  ],
  [
    'prosody rate',
    'a <prosody rate="slow">b &amp; c</prosody> d',
    [
      text('a'),
      marked('b & c', '<prosody rate="slow">b &amp; c</prosody>', { rate: 0.75 }),
      text('d'),
    ],
  ],
  [
    'prosody volume',
    '<prosody volume="-6dB">a</prosody>',
    [marked('a', '<prosody volume="-6dB">a</prosody>', { gainDb: -6 })],
  ],
  [
    'prosody pitch is known not to be heard',
    '<prosody pitch="high">a</prosody>',
    [marked('a', '<prosody pitch="high">a</prosody>', { unheard: ['prosody pitch'] })],
  ],
  [
    'prosody in prosody',
    '<prosody rate="200%"><prosody rate="50%" volume="loud">a</prosody></prosody>',
    [
      marked('a', '<prosody rate="200%"><prosody rate="50%" volume="loud">a</prosody></prosody>', {
        gainDb: 6,
      }),
    ],
  ],
  [
    'emphasis',
    '<emphasis level="strong">a</emphasis><emphasis level="none">b</emphasis>',
    [marked('a', '<emphasis level="strong">a</emphasis>', { rate: 0.85, gainDb: 3 }), text('b')],
  ],
  [
    'phoneme: its text, unless the engine knows better',
    '<phoneme alphabet="ipa" ph="pɪˈkɑːn">pecan</phoneme> pie',
    [
      marked('pecan pie', '<phoneme alphabet="ipa" ph="pɪˈkɑːn">pecan</phoneme> pie', {
        unheard: ['phoneme'],
      }),
    ],
  ],
  ['w', 'I <w role="amazon:VBD">read</w> it', [text('I read it')]],
  ['another language', 'a <lang xml:lang="en-GB">b</lang>', [text('a'), text('b', 'en-GB')]],
  ['paragraphs', '<p>a</p><p>b</p>', [text('a'), silence(400), text('b'), silence(400)]],
  ['sentences', '<s>a</s><s>b</s>', [text('a'), text('b')]],
])('%s', (_title, body, segments) => {
  const { verb } = verbOf('say', `<Say>${body}</Say>`)
  expect(speechSegments(verb.content, 'en-US')).toEqual(segments)
})

it('a long text is spoken in sentences after a short first clause, none of them very short', () => {
  const sentence = 'Your call is important to us, and Mr. Jones answers at 10.30 a.m. today. '
  const { verb } = verbOf('say', `<Say>${`${sentence}Yes. `.repeat(8)}</Say>`)
  const parts = speechSegments(verb.content, undefined)
  const texts = parts.map((part) => (part.type === 'text' ? part.text : ''))
  expect(texts.length).toBeGreaterThan(3)
  expect(texts.join(' ')).toBe(`${sentence}Yes. `.repeat(8).trim())
  const [first, ...others] = texts
  expect(first).toBe('Your call is important to us,')
  for (const part of others) {
    expect(part).toMatch(/\.$/)
    expect(part.length).toBeGreaterThan(40)
    expect(part.length).toBeLessThan(200)
  }
})

it.each([
  ['x-slow', 0.5],
  ['medium', 1],
  ['x-fast', 1.5],
  ['80%', 0.8],
  ['+20%', 1.2],
  ['-20%', 0.8],
  ['1%', 0.2],
  ['9999%', 3],
  ['very fast', 1],
  ['', 1],
])('prosody rate "%s" is %d times as fast', (rate, expected) => {
  const { verb } = verbOf('say', `<Say><prosody rate="${rate}">a</prosody></Say>`)
  expect(speechSegments(verb.content, undefined)).toMatchObject([{ markup: { rate: expected } }])
})

it.each([
  ['silent', -120],
  ['x-loud', 12],
  ['+4.5dB', 4.5],
  ['-60 dB', -60],
  ['+99dB', 12],
  ['louder', 0],
])('prosody volume "%s" is %d dB', (volume, expected) => {
  const { verb } = verbOf('say', `<Say><prosody volume="${volume}">a</prosody></Say>`)
  expect(speechSegments(verb.content, undefined)).toMatchObject([{ markup: { gainDb: expected } }])
})
