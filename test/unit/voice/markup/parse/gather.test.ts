/**
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | action | URL, may be relative | the current document | – |
 * | method | GET, POST | POST | 13312 |
 * | input | dtmf, speech, dtmf speech | dtmf | 13326 |
 * | timeout | seconds from 1 | 5 | 13313 |
 * | finishOnKey | one of 0-9 # *; empty = none | # | 13310 |
 * | numDigits | whole number from 1 | unlimited | 13314 |
 * | actionOnEmptyResult | true, false | false | 13338 |
 * | language | language tag | en-US | 13331 |
 * | hints | up to 500 phrases of up to 100 characters | none | 13330 |
 * | partialResultCallback | URL | none | – |
 * | partialResultCallbackMethod | GET, POST | POST | 12200 |
 * | profanityFilter | true, false | true | 13333 |
 * | speechModel | name of a model | default | 13334 |
 * | speechTimeout | seconds from 1, auto | timeout | 13327; 13335 |
 * | bargeIn | true, false | true | 13332 |
 * | maxSpeechTime | seconds, 1 to 60 | 60 | 13328 |
 * | enhanced, debug | true, false | false | 12200 |
 * | (children) | Say, Play, Pause | none | 13320 |
 */
import { describe, expect, it } from 'vitest'
import { verbOf } from './support.js'

const gather = (attributes: string, children = '') =>
  verbOf('gather', `<Gather ${attributes}>${children}</Gather>`)

it('without attributes', () => {
  const { verb, codes } = gather('')
  expect(codes).toEqual([])
  expect(verb).toMatchObject({
    action: undefined,
    method: 'POST',
    input: 'dtmf',
    timeoutMs: 5000,
    finishOnKey: '#',
    numDigits: undefined,
    actionOnEmptyResult: false,
    bargeIn: true,
    prompts: [],
    speech: {
      language: 'en-US',
      hints: [],
      partialResultCallback: undefined,
      partialResultCallbackMethod: 'POST',
      profanityFilter: true,
      model: 'default',
      timeout: undefined,
      maxTimeMs: 60_000,
      enhanced: false,
      debug: false,
    },
  })
})

it.each<[string, object]>([
  ['action="/done?a=1&amp;b=2"', { action: '/done?a=1&b=2' }],
  ['method="GET"', { method: 'GET' }],
  ['input="dtmf"', { input: 'dtmf' }],
  ['input="speech"', { input: 'speech' }],
  ['input="dtmf speech"', { input: 'dtmf speech' }],
  ['input="speech dtmf"', { input: 'dtmf speech' }],
  ['timeout="1"', { timeoutMs: 1000 }],
  ['timeout="120"', { timeoutMs: 120_000 }],
  ['finishOnKey="*"', { finishOnKey: '*' }],
  ['finishOnKey="0"', { finishOnKey: '0' }],
  ['finishOnKey=""', { finishOnKey: '' }],
  ['numDigits="4"', { numDigits: 4 }],
  ['actionOnEmptyResult="true"', { actionOnEmptyResult: true }],
  ['actionOnEmptyResult="false"', { actionOnEmptyResult: false }],
  ['language="cmn-Hans-CN"', { speech: { language: 'cmn-Hans-CN' } }],
  ['hints="yes, no,, call me"', { speech: { hints: ['yes', 'no', 'call me'] } }],
  ['partialResultCallback="/p"', { speech: { partialResultCallback: '/p' } }],
  ['partialResultCallbackMethod="GET"', { speech: { partialResultCallbackMethod: 'GET' } }],
  ['profanityFilter="false"', { speech: { profanityFilter: false } }],
  ['speechModel="phone_call"', { speech: { model: 'phone_call' } }],
  ['speechTimeout="3"', { speech: { timeout: 3 } }],
  ['speechTimeout="auto"', { speech: { timeout: 'auto' } }],
  ['bargeIn="false"', { bargeIn: false }],
  ['maxSpeechTime="20"', { speech: { maxTimeMs: 20_000 } }],
  ['enhanced="true" debug="true"', { speech: { enhanced: true, debug: true } }],
])('%s', (attributes, expected) => {
  expect(gather(attributes)).toMatchObject({ verb: expected, codes: [] })
})

it.each<[string, number, object]>([
  ['method="DELETE"', 13312, { method: 'POST' }],
  ['input="voice"', 13326, { input: 'dtmf' }],
  ['input=""', 13326, { input: 'dtmf' }],
  ['timeout="0"', 13313, { timeoutMs: 5000 }],
  ['timeout="soon"', 13313, { timeoutMs: 5000 }],
  ['timeout="2.5"', 13313, { timeoutMs: 5000 }],
  ['finishOnKey="12"', 13310, { finishOnKey: '#' }],
  ['finishOnKey="x"', 13310, { finishOnKey: '#' }],
  ['numDigits="0"', 13314, { numDigits: undefined }],
  ['numDigits="-3"', 13314, { numDigits: undefined }],
  ['actionOnEmptyResult="yes"', 13338, { actionOnEmptyResult: false }],
  ['language="??"', 13331, { speech: { language: 'en-US' } }],
  [`hints="${'a'.repeat(101)}"`, 13330, { speech: { hints: [] } }],
  [`hints="${'a,'.repeat(501)}"`, 13330, { speech: { hints: [] } }],
  ['partialResultCallbackMethod="PUT"', 12200, { speech: { partialResultCallbackMethod: 'POST' } }],
  ['profanityFilter="1"', 13333, { speech: { profanityFilter: true } }],
  ['speechModel="a b"', 13334, { speech: { model: 'default' } }],
  ['speechTimeout="0"', 13327, { speech: { timeout: undefined } }],
  ['speechTimeout="auto" speechModel="default"', 13335, { speech: { timeout: 'auto' } }],
  ['bargeIn="maybe"', 13332, { bargeIn: true }],
  ['maxSpeechTime="61"', 13328, { speech: { maxTimeMs: 60_000 } }],
  ['enhanced="x"', 12200, { speech: { enhanced: false } }],
  ['debug="x"', 12200, { speech: { debug: false } }],
  ['colour="red"', 12200, {}],
])('wrong: %s → %d', (attributes, code, expected) => {
  expect(gather(attributes)).toMatchObject({ verb: expected, codes: [code] })
})

describe('children', () => {
  it('are prompts, in order', () => {
    const { verb, codes } = gather('', 'text?<Say>a</Say> <Play>b</Play><Pause/><Say>c</Say>')
    expect(verb.prompts.map((p) => p.type)).toEqual(['say', 'play', 'pause', 'say'])
    expect(codes).toEqual([12200])
  })
  it('of other kinds are left out', () => {
    const { verb, codes } = gather('', '<Redirect>/a</Redirect><Say>a</Say><say>b</say>')
    expect(verb.prompts.map((p) => p.type)).toEqual(['say'])
    expect(codes).toEqual([13320, 13320])
  })
})

it.each([
  ['voice="nobody"', 13321],
  ['loop="x"', 13322],
  ['language="!"', 13512],
])('a Say in it with %s has the number %i', (attribute, code) => {
  expect(gather('', `<Say ${attribute}>a</Say>`).codes).toEqual([code])
})
