/**
 * 10,000 random walks over the grammar with what is nearly right put in, against a table of the
 * documented numbers that shares nothing with the parser: attribute, right values, wrong values, code.
 */
import { expect, it } from 'vitest'
import { parseDocument } from '../../../../../src/voice/markup/parse/parse-document.js'
import { pick, type Random, seeded } from './builder-grammar.js'

const WALKS = 10_000

type AttributeRow = readonly [
  name: string,
  right: readonly string[],
  wrong: readonly string[],
  code: number,
]
interface ElementRow {
  readonly name: string
  readonly attributes: readonly AttributeRow[]
  /** What must stand inside for the element to be right. */
  readonly text?: string
  readonly children?: readonly ElementRow[]
  /** Of a child that does not belong there. */
  readonly nesting?: number
}

const METHOD = [
  ['GET', 'POST', 'get'],
  ['PUT', 'DELETE', 'x y'],
] as const
const FLAG = [
  ['true', 'false', 'True'],
  ['yes', '1', 'maybe'],
] as const

const SAY: ElementRow = {
  name: 'Say',
  text: 'Hello',
  attributes: [
    [
      'voice',
      ['man', 'Polly.Joanna', 'Google.en-US-Wavenet-A'],
      ['nobody', 'MAN', 'Azure.Jenny'],
      13511,
    ],
    ['language', ['en-US', 'arb'], ['english please', '!'], 13512],
    ['loop', ['0', '1', '7'], ['-1', 'x', '1.5'], 13510],
  ],
}
const PLAY: ElementRow = {
  name: 'Play',
  text: 'https://a.example/b.mp3',
  attributes: [['loop', ['0', '2'], ['-2', 'often'], 13410]],
}
const PAUSE: ElementRow = {
  name: 'Pause',
  attributes: [['length', ['1', '60'], ['0', '-1', 'long'], 13910]],
}
/** In a Gather two of its numbers are others. */
const PROMPT_SAY: ElementRow = {
  ...SAY,
  attributes: SAY.attributes.map(([name, right, wrong, code]) => [
    name,
    right,
    wrong,
    name === 'voice' ? 13321 : name === 'loop' ? 13322 : code,
  ]),
}
const GATHER: ElementRow = {
  name: 'Gather',
  nesting: 13320,
  children: [PROMPT_SAY, PLAY, PAUSE],
  attributes: [
    ['method', ...METHOD, 13312],
    ['input', ['dtmf', 'speech', 'dtmf speech'], ['voice', 'dtmf video'], 13326],
    ['timeout', ['1', '30'], ['0', 'soon'], 13313],
    ['finishOnKey', ['', '#', '5'], ['##', 'A'], 13310],
    ['numDigits', ['1', '20'], ['0', 'two'], 13314],
    ['actionOnEmptyResult', ...FLAG, 13338],
    ['language', ['en-GB'], ['??'], 13331],
    ['hints', ['yes,no'], ['x'.repeat(101)], 13330],
    ['profanityFilter', ...FLAG, 13333],
    ['speechModel', ['phone_call'], ['a model'], 13334],
    ['speechTimeout', ['3'], ['never'], 13327],
    ['bargeIn', ...FLAG, 13332],
    ['maxSpeechTime', ['60'], ['61', '0'], 13328],
  ],
}
const RECORD: ElementRow = {
  name: 'Record',
  attributes: [
    ['method', ...METHOD, 13610],
    ['timeout', ['0', '10'], ['-5', 'x'], 13611],
    ['maxLength', ['2', '14400'], ['1', '14401', 'x'], 13612],
    ['finishOnKey', ['', '1*#'], ['A', 'x'], 13613],
    ['playBeep', ...FLAG, 13616],
    ['recordingTrack', ['both', 'inbound'], ['left'], 13622],
    ['trim', ['trim-silence', 'do-not-trim'], ['yes'], 13699],
    ['recordingStatusCallbackEvent', ['completed absent'], ['done'], 13621],
  ],
}
const STREAM: ElementRow = {
  name: 'Stream',
  attributes: [
    ['track', ['inbound_track', 'both_tracks'], ['both'], 31941],
    ['statusCallbackMethod', ...METHOD, 12200],
  ],
}
const VERBS: readonly ElementRow[] = [
  SAY,
  PLAY,
  PAUSE,
  GATHER,
  RECORD,
  { name: 'Redirect', text: '/next', attributes: [['method', ...METHOD, 13710]] },
  { name: 'Reject', attributes: [['reason', ['busy', 'rejected'], ['tired'], 13810]] },
  { name: 'Hangup', attributes: [] },
  { name: 'Leave', attributes: [] },
  {
    name: 'Enqueue',
    text: 'support',
    attributes: [
      ['waitUrlMethod', ...METHOD, 12200],
      ['maxQueueSize', ['1', '100'], ['0', 'all'], 12200],
    ],
  },
  { name: 'Connect', children: [STREAM], attributes: [['method', ...METHOD, 12200]] },
  { name: 'Start', children: [STREAM], attributes: [] },
]

interface Walk {
  readonly random: Random
  readonly codes: number[]
}

it(`${String(WALKS)} random documents get exactly the documented warnings`, () => {
  const seen = new Set<number>()
  for (let seed = 1; seed <= WALKS; seed += 1) {
    const walk: Walk = { random: seeded(seed), codes: [] }
    const verbs = Array.from({ length: 1 + Math.floor(walk.random() * 5) }, () =>
      written(pick(walk.random, VERBS), 12200, walk),
    )
    const text = `<Response>${verbs.join('')}</Response>`
    const result = parseDocument(text)
    if (result.type === 'failure') throw new Error(`seed ${seed}: ${result.message} in ${text}`)
    const codes = result.warnings.map((warning) => warning.code)
    expect(codes.sort(), `seed ${seed}: ${text}`).toEqual(walk.codes.sort().slice(0, 50))
    for (const code of codes) seen.add(code)
  }
  // Every number of the table must have been met, or the walk proves little.
  const numbers = [...VERBS, PROMPT_SAY, STREAM].flatMap((row) =>
    row.attributes.map(([, , , code]) => code),
  )
  expect([...new Set([...numbers, 13320, 12200])].filter((code) => !seen.has(code))).toEqual([])
})

/** The element, right or with one thing in ten wrong; `outside` is the code of a wrong name here. */
function written(row: ElementRow, outside: number, walk: Walk): string {
  const { random, codes } = walk
  const isMisspelled = random() < 0.08
  // What stands in an element that is not known is not looked at.
  const inner: Walk = isMisspelled ? { random, codes: [] } : walk
  if (isMisspelled) codes.push(outside)
  const name = isMisspelled
    ? pick(random, [row.name.toLowerCase(), `${row.name}s`, 'Foo'])
    : row.name
  return `<${name}${attributesOf(row, inner)}>${contentOf(row, inner)}</${name}>`
}

function attributesOf(row: ElementRow, { random, codes }: Walk): string {
  const chosen = row.attributes.filter(() => random() < 0.3)
  const attributes = chosen.map(([name, right, wrong, code]) => {
    const isWrong = random() < 0.3
    if (isWrong) codes.push(code)
    return ` ${name}="${pick(random, isWrong ? wrong : right)}"`
  })
  if (row.name === 'Stream') attributes.push(' url="wss://a.example/"')
  if (random() < 0.1) {
    codes.push(12200)
    attributes.push(pick(random, [' Loop="1"', ' data-x="1"', ' timeOut="3"']))
  }
  return attributes.join('')
}

function contentOf(row: ElementRow, walk: Walk): string {
  const { random, codes } = walk
  if (row.text !== undefined) return row.text
  const children = (row.children ?? [])
    .filter(() => random() < 0.5)
    .map((child) => written(child, row.nesting ?? 12200, walk))
  if (random() < 0.1) {
    codes.push(12200)
    children.push('stray text')
  }
  if (random() < 0.1) {
    codes.push(row.nesting ?? 12200)
    children.push('<Bar a="b"><Say voice="nobody"/></Bar>')
  }
  if (row.name === 'Connect' && children.length === 0) codes.push(12200)
  return children.join('')
}
