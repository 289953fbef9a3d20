/**
 * Random documents built with the convention's own client library: its type declarations say which
 * method makes which child, and which attributes with which values go with it.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import twilio from 'twilio'

const packageFile = createRequire(import.meta.url).resolve('twilio/package.json')
const DECLARATIONS = readFileSync(
  join(dirname(packageFile), 'lib/twiml/VoiceResponse.d.ts'),
  'utf8',
).replace(/\/\*[\s\S]*?\*\//g, '')

interface Method {
  readonly name: string
  readonly attributes: string
  readonly hasText: boolean
  readonly makes: string
}

const METHODS = new Map<string, Method[]>()
for (const [, name = '', body = ''] of DECLARATIONS.matchAll(
  /class (\w+) extends TwiML \{([\s\S]*?)\n {0,4}\}/g,
)) {
  const methods = [
    ...body.matchAll(
      /^\s*(\w+)\(attributes\??: (?:VoiceResponse\.)?(\w+)(?:, \w+\??: (?:string|object))?\): VoiceResponse\.(\w+);$/gm,
    ),
  ]
  METHODS.set(
    name,
    methods.map(([whole, method = '', attributes = '', makes = '']) => ({
      name: method,
      attributes,
      hasText: whole.includes(', '),
      makes,
    })),
  )
}

const ATTRIBUTES = new Map<string, { name: string; type: string }[]>()
for (const [, name = '', body = ''] of DECLARATIONS.matchAll(
  /interface (\w+Attributes) \{([\s\S]*?)\n {4}\}/g,
))
  ATTRIBUTES.set(
    name,
    [...body.matchAll(/^\s*"?([\w:-]+)"?\??: (.*);$/gm)].map(([, attribute = '', type = '']) => ({
      name: attribute,
      type,
    })),
  )

const UNIONS = new Map<string, string[]>()
for (const [, name = '', values = ''] of DECLARATIONS.matchAll(/type (\w+) = ([^;]*);/g))
  UNIONS.set(
    name,
    values.split(' | ').map((value) => value.replaceAll('"', '')),
  )

/** Where the library says "string" but the convention says more. */
const STRINGS: Readonly<Record<string, readonly string[]>> = {
  finishOnKey: ['', '#', '*', '5'],
  digits: ['1', 'wwW12#*D'],
  speechTimeout: ['auto', '3'],
  speechModel: ['default_model', 'phone_call', 'googlev2_short'],
  hints: ['yes,no', '', 'one two, three & four <five>'],
  time: ['1s', '200ms'],
  pitch: ['high', '+10%'],
  rate: ['x-fast', '80%'],
  volume: ['loud', '-6dB'],
  coach: ['CA0123456789abcdef0123456789abcdef'],
  participantLabel: ['customer', 'Agent 1'],
  'Stream.url': ['wss://a.example/b'],
  callerId: ['+15551112222', 'sip:alice@a.example', 'alice'],
  sendDigits: ['1', 'wwW12#*D'],
  username: ['alice'],
  priority: ['1', '10'],
  weight: ['5', '65535'],
  machineDetection: ['Enable', 'DetectMessageEnd'],
  'Header.name': ['X-Customer', 'User-to-User'],
}
/** Where it says "number" and not which. */
const NUMBERS: Readonly<Record<string, readonly number[]>> = {
  maxLength: [2, 60, 14_400],
  maxParticipants: [2, 250],
  maxQueueSize: [1, 100, 5000],
  'Dial.timeout': [5, 30, 600],
  machineDetectionTimeout: [3, 60],
  machineDetectionSpeechThreshold: [1000, 6000],
  machineDetectionSpeechEndThreshold: [500, 5000],
  machineDetectionSilenceTimeout: [2000, 10_000],
}
/** What the convention demands and the library leaves open, by element. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  Parameter: ['name'],
  Stream: ['name', 'url'],
  Sip: ['username'],
  Uri: ['username'],
  SipUri: ['username'],
  Header: ['name', 'value'],
  SsmlSayAs: ['interpret-as'],
}
const TEXTS = ['Hello', 'a & b < c > "d" \'e\'', ' 100% ☎ é ', 'https://a.example/b?c=1&d=2', ']]>']

/** Text that must be somebody who can be called. */
const CALLED: Readonly<Record<string, readonly string[]>> = {
  Dial: ['+15551112222', '(415) 555-1212'],
  Number: ['+15551112222', '415-555-1212'],
  Sip: ['sip:alice@a.example', 'sips:a.example:5061;transport=tls?X-A=1&User-to-User=a%3Bb'],
  Uri: ['sip:bob@192.0.2.1'],
  SipUri: ['sip:carol@192.0.2.1'],
}
/** Entered and not called: alone in its Dial. */
const PLACES = ['Application', 'Conference', 'Queue']

export type Random = () => number

/** mulberry32: a test prints its seed, and the seed makes the same documents again. */
export function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function pick<T>(random: Random, from: readonly T[]): T {
  const chosen = from[Math.floor(random() * from.length)]
  if (chosen === undefined) throw new Error('nothing to pick from')
  return chosen
}

/** Every element name that the builder can make, to show that the generator reaches all of it. */
export function builderElements(): Set<string> {
  return new Set([...METHODS.values()].flat().map((method) => method.makes))
}

/**
 * Every attribute of every element that the builder can make, wherever it can stand, with every value of
 * its type: one document each.
 */
export function* exhaustiveDocuments(): Generator<string> {
  for (const { path, method } of everyElement()) {
    const attributes = ATTRIBUTES.get(method.attributes) ?? []
    const required = REQUIRED[method.makes] ?? []
    const usual = Object.fromEntries(
      attributes
        .filter(({ name }) => required.includes(name))
        .map(({ name, type }) => [name, valuesOf(method.makes, name, type)[0]]),
    )
    yield documentWith([...path, method], usual)
    for (const { name, type } of attributes)
      for (const value of valuesOf(method.makes, name, type)) {
        if (path.at(-1)?.makes === 'Gather' && name === 'digits') continue
        yield documentWith([...path, method], { ...usual, [name]: value })
      }
  }
}

/** By the way that leads there; SSML nests without end, so each element is entered once on a way. */
function* everyElement(
  kind = 'VoiceResponse',
  path: readonly Method[] = [],
): Generator<{ readonly path: readonly Method[]; readonly method: Method }> {
  for (const method of METHODS.get(kind) ?? []) {
    yield { path, method }
    if (path.length < 3 && !path.some(({ makes }) => makes === method.makes))
      yield* everyElement(method.makes, [...path, method])
  }
}

function documentWith(path: readonly Method[], attributes: Record<string, unknown>): string {
  const response = new twilio.twiml.VoiceResponse()
  let parent: object = response
  for (const [depth, { name, makes, hasText }] of path.entries()) {
    const isLast = depth === path.length - 1
    const own = isLast ? attributes : (USUAL[makes] ?? {})
    // A number beside nouns would not be called.
    const text = isLast || makes !== 'Dial' ? [CALLED[makes]?.[0] ?? 'Hello'] : []
    // The declarations that named the method are those of this very object.
    const call = (parent as Record<string, (...all: unknown[]) => object>)[name]
    if (call === undefined) throw new Error(`the builder has no ${name}`)
    parent = call.apply(parent, hasText ? [own, ...text] : [own])
  }
  return response.toString()
}

/** What elements on the way need to be right themselves. */
const USUAL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Stream: { name: 'a', url: 'wss://a.example/b' },
  Sip: { username: 'alice' },
}

function valuesOf(element: string, name: string, type: string): readonly unknown[] {
  if (type === 'boolean') return [true, false]
  if (type === 'number') return NUMBERS[`${element}.${name}`] ?? NUMBERS[name] ?? [1, 5, 59]
  if (type === 'number[]') return [[1], [1, 2]]
  if (type === 'string') {
    if (/method$/i.test(name)) return ['GET', 'POST']
    return STRINGS[`${element}.${name}`] ?? STRINGS[name] ?? TEXTS.slice(0, 3)
  }
  const values = UNIONS.get(type.replace('[]', ''))
  if (values === undefined) throw new Error(`unknown attribute type ${type}`)
  return type.endsWith('[]') ? [...values.map((value) => [value]), values] : values
}

/** Text of a document, and how many verbs stand in it. */
export function randomDocument(
  random: Random,
  made = new Set<string>(),
): { text: string; verbs: number } {
  const response = new twilio.twiml.VoiceResponse()
  const verbs = addChildren(response, 'VoiceResponse', random, 0, made)
  if (random() < 0.1) response.comment('between -> us')
  return { text: response.toString(), verbs }
}

function addChildren(
  parent: object,
  kind: string,
  random: Random,
  depth: number,
  made: Set<string>,
): number {
  const methods = METHODS.get(kind) ?? []
  if (methods.length === 0 || depth > 5) return 0
  const children = Math.floor(random() * 4)
  for (let count = children; count > 0; count -= 1) {
    const method = pick(
      random,
      kind === 'Dial' && children > 1
        ? methods.filter(({ makes }) => !PLACES.includes(makes))
        : methods,
    )
    made.add(method.makes)
    const attributes = randomAttributes(method, random)
    // The one documented rule that the library's types do not know.
    if (kind === 'Gather') delete attributes['digits']
    // The declarations that named the method are those of this very object.
    const call = (parent as Record<string, (...all: unknown[]) => object>)[method.name]
    if (call === undefined) throw new Error(`the builder has no ${kind}.${method.name}`)
    const child = call.apply(
      parent,
      method.hasText ? [attributes, pick(random, CALLED[method.makes] ?? TEXTS)] : [attributes],
    )
    addChildren(child, method.makes, random, depth + 1, made)
  }
  return children
}

function randomAttributes({ attributes, makes }: Method, random: Random): Record<string, unknown> {
  const chosen: Record<string, unknown> = {}
  for (const { name, type } of ATTRIBUTES.get(attributes) ?? [])
    if (random() < 0.4 || REQUIRED[makes]?.includes(name) === true)
      chosen[name] = randomValue(makes, name, type, random)
  // Longer than two minutes is not transcribed: the types do not know that either.
  if (chosen['transcribe'] !== undefined || chosen['transcribeCallback'] !== undefined)
    delete chosen['maxLength']
  return chosen
}

function randomValue(element: string, name: string, type: string, random: Random): unknown {
  return pick(random, valuesOf(element, name, type))
}
