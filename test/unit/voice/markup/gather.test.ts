import { describe, expect, it } from 'vitest'
import { MediaTypeError } from '../../../../src/voice/model/fetch-errors.js'
import { BASE, type Played, playBody, type Scenario, timelineUntil } from './fake-host.js'

type Keys = NonNullable<Scenario['keys']>

/** What the Gather led to: when the action was requested and with what, or that it fell through. */
function outcomeOf({ timeline }: Played): string {
  const line = timeline.slice(1).find((l) => / (POST|GET|say next)/.test(l)) ?? 'nothing'
  const [at, method, , query = ''] = line.split(' ')
  if (method === 'say') return `${String(at)} next`
  const params = new URLSearchParams(query)
  return `${String(at)} ${params.get('Digits') ?? '-'} by "${params.get('FinishedOnKey') ?? '-'}"`
}

const gather = (attributes: string, keys: Keys, prompts = '') =>
  playBody(`<Gather action="/done" ${attributes}>${prompts}</Gather><Say>next</Say>`, {
    keys,
    documents: { 'http://app.example/done': '' },
  })

describe('without a prompt', () => {
  it.each<[string, string, Keys, string]>([
    ['nobody presses a key', '', [], '5000 next'],
    ['timeout is obeyed', 'timeout="2"', [], '2000 next'],
    ['one digit, then silence', '', [[1000, '7']], '6000 7 by ""'],
    [
      'the timeout starts again with each key',
      '',
      [
        [4000, '1'],
        [8000, '2'],
      ],
      '13000 12 by ""',
    ],
    [
      'numDigits ends at once',
      'numDigits="2"',
      [
        [100, '1'],
        [300, '2'],
      ],
      '300 12 by ""',
    ],
    [
      '# ends and is not a digit',
      '',
      [
        [100, '1'],
        [300, '#'],
      ],
      '300 1 by "#"',
    ],
    [
      'another key ends',
      'finishOnKey="*"',
      [
        [100, '1'],
        [200, '#'],
        [300, '*'],
      ],
      '300 1# by "*"',
    ],
    [
      'no key ends',
      'finishOnKey="" numDigits="3"',
      [
        [1, '#'],
        [2, '*'],
        [3, '1'],
      ],
      '3 #*1 by ""',
    ],
    ['the finishing key alone is no input', '', [[100, '#']], '100 next'],
    [
      'letters are digits',
      'numDigits="2"',
      [
        [1, 'A'],
        [2, 'D'],
      ],
      '2 AD by ""',
    ],
    [
      'keys at the same moment',
      'numDigits="3"',
      [
        [5, '1'],
        [5, '2'],
        [5, '3'],
      ],
      '5 123 by ""',
    ],
    [
      'keys after it is complete are nobody’s',
      'numDigits="1"',
      [
        [5, '1'],
        [5, '2'],
      ],
      '5 1 by ""',
    ],
    ['empty result is posted when asked', 'actionOnEmptyResult="true"', [], '5000  by ""'],
    ['so is the finishing key alone', 'actionOnEmptyResult="true"', [[10, '#']], '10  by "#"'],
    ['speech only: keys do not count', 'input="speech"', [[10, '1']], '5000 next'],
    ['speech too: keys count', 'input="dtmf speech" numDigits="1"', [[10, '1']], '10 1 by ""'],
  ])('%s', async (_title, attributes, keys, outcome) => {
    expect(outcomeOf(await gather(attributes, keys))).toBe(outcome)
  })
})

describe('with prompts', () => {
  const PROMPTS = '<Say>A</Say><Pause length="2"/><Play>3s.wav</Play>'
  it.each<[string, string, Keys, string]>([
    ['the timeout starts when they are over', '', [], '11000 next'],
    [
      'a key during them counts',
      'numDigits="2"',
      [
        [500, '1'],
        [900, '2'],
      ],
      '900 12 by ""',
    ],
    ['and starts the timeout', 'timeout="3"', [[500, '1']], '3500 1 by ""'],
    ['the finishing key alone silences them', '', [[500, '#']], '500 next'],
    ['a key at the very beginning', 'numDigits="1"', [[0, '1']], '0 1 by ""'],
    [
      'without barge-in they are heard out',
      'bargeIn="false" numDigits="1"',
      [[500, '1']],
      '6000 1 by ""',
    ],
    ['and the timeout starts after them', 'bargeIn="false"', [[500, '1']], '11000 1 by ""'],
  ])('%s', async (_title, attributes, keys, outcome) => {
    expect(outcomeOf(await gather(attributes, keys, PROMPTS))).toBe(outcome)
  })

  it.each<[string, Keys, string[]]>([
    ['Say', [[400, '1']], ['0 say A', '400 key 1', '400 cut']],
    ['Pause', [[1400, '1']], ['0 say A', '1000 silence', '1400 key 1', '1400 cut']],
    [
      'Play',
      [[5900, '1']],
      ['0 say A', '1000 silence', '3000 play http://app.example/3s.wav', '5900 key 1', '5900 cut'],
    ],
  ])('the first key silences %s at once, and nothing is played after it', async (_title, keys, lines) => {
    const { timeline } = await gather('numDigits="1"', keys, PROMPTS)
    expect(timeline.slice(1, -1)).toEqual(lines)
  })

  it('a key between two prompts stops the second', async () => {
    const { timeline } = await gather('numDigits="1"', [[1000, '1']], '<Say loop="3">A</Say>')
    expect(timeline.filter((line) => line.includes('say'))).toHaveLength(1)
  })
})

/** Keys come the same way whether they were RFC 4733 events or INFO: the leg says only which. */
describe('every way to end, by when the keys come', () => {
  const PROMPT = '<Say>A</Say><Pause length="2"/>'
  const WHEN: readonly (readonly [string, number])[] = [
    ['at the first moment', 0],
    ['during the prompt', 700],
    ['between two prompts', 1000],
    ['during the last prompt', 2900],
    ['at the moment it ends', 3000],
    ['after it', 4500],
  ]
  const HOW: readonly (readonly [string, string, string, (at: number) => string])[] = [
    ['numDigits', 'numDigits="2"', '12', (at) => `${at + 100} 12 by ""`],
    ['finishOnKey', '', '12#', (at) => `${at + 200} 12 by "#"`],
    ['another finishOnKey', 'finishOnKey="*"', '1#*', (at) => `${at + 200} 1# by "*"`],
    ['no finishOnKey', 'finishOnKey="" numDigits="3"', '1#*', (at) => `${at + 200} 1#* by ""`],
    ['timeout', 'timeout="2"', '12', (at) => `${at + 2100} 12 by ""`],
  ]
  const cases = WHEN.flatMap(([when, at]) =>
    HOW.map(([how, attributes, pressed, outcome]) => {
      const keys = Array.from(pressed, (key, index) => [at + index * 100, key] as const)
      return [`${how}, ${when}`, attributes, keys, outcome(at)] as const
    }),
  )
  it.each(cases)('%s', async (_title, attributes, keys, outcome) => {
    expect(outcomeOf(await gather(attributes, keys, PROMPT))).toBe(outcome)
  })

  it.each(HOW)('%s: keys from before it are nobody’s', async (_title, attributes, pressed) => {
    const keys: Keys = Array.from(pressed, (key, index) => [300 + index * 100, key])
    const body = `<Say>first</Say><Gather ${attributes}/><Say>next</Say>`
    const { timeline } = await playBody(body, { keys })
    expect(timeline.filter((line) => line.includes('POST'))).toHaveLength(1)
    expect(timeline.at(-1)).toMatch(/say next$/)
  })
})

it('keys before it are nobody’s, and keys of one Gather not the next one’s', async () => {
  const { timeline } = await playBody('<Say>A</Say><Gather numDigits="1" action="/b"/>', {
    keys: [
      [500, '9'],
      [1500, '1'],
      [2000, '2'],
      [3000, '3'],
    ],
    documents: {
      'http://app.example/b': '<Say>B</Say><Gather numDigits="1" action="/c"/>',
      'http://app.example/c': '',
    },
  })
  expect(timeline.filter((line) => line.includes('POST')).slice(1)).toEqual([
    '1500 POST http://app.example/b Digits=1&FinishedOnKey=&msg=Gather+End',
    '3000 POST http://app.example/c Digits=3&FinishedOnKey=&msg=Gather+End',
  ])
})

it.each([
  ['', `10 POST ${BASE} Digits=1&FinishedOnKey=&msg=Gather+End`],
  ['action="" method="GET"', `10 GET ${BASE} Digits=1&FinishedOnKey=&msg=Gather+End`],
  ['action="?a=b"', `10 POST ${BASE}?a=b Digits=1&FinishedOnKey=&msg=Gather+End`],
])('action and method: %s', async (attributes, request) => {
  const keys: Keys = [[10, '1']]
  const body = `<Gather numDigits="1" ${attributes}/>`
  const documents = { [`${BASE}?a=b`]: '<Pause length="60"/>' }
  expect((await timelineUntil(1000, body, { keys, documents }))[2]).toBe(request)
})

it('logs prompts and digits', async () => {
  const { log } = await gather(
    'numDigits="2"',
    [
      [10, '1'],
      [20, '2'],
    ],
    '<Say>A</Say>',
  )
  expect(log.filter((e) => e.type !== 'warning')).toEqual([
    { type: 'verb', verb: 'Gather', attributes: { action: '/done', numDigits: '2' }, text: 'A' },
    { type: 'verb', verb: 'Say', attributes: {}, text: 'A' },
    { type: 'digits', digits: '12', finishedOnKey: '' },
  ])
})

it('speech that nobody recognises is said in the log', async () => {
  const { log } = await gather('input="speech" timeout="1"', [])
  expect(log).toContainEqual({
    type: 'warning',
    code: 13326,
    message: 'Gather: speech is not recognised',
  })
})

it('a prompt that is no audio has a number of its own', async () => {
  const fetchMedia = () => Promise.reject(new MediaTypeError('http://m/', 'text/html'))
  const { end } = await playBody('<Gather><Play>http://m/</Play></Gather>', {
    host: { fetchMedia },
  })
  expect(end).toMatchObject({ type: 'application-error', code: 13325 })
})
