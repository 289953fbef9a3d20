import { describe, expect, it } from 'vitest'
import {
  type Headers,
  JsonHeaders,
  LineHeaders,
} from '../../../../../src/voice/telephony/freeswitch/event-headers.js'
import { KeyedEvent } from '../../../../../src/voice/telephony/freeswitch/event-socket.js'

const FIELDS = { 'Event-Name': 'CUSTOM', 'Event-Subclass': 'a::b', 'Unique-ID': 'u', Empty: '' }

function json(fields: object): Headers {
  const headers = JsonHeaders.of(JSON.stringify(fields))
  if (headers === undefined) throw new Error('no object')
  return headers
}

function lines(fields: object): Headers {
  const texts = Object.entries(fields).map(([name, value]) => `${name}: ${String(value)}`)
  return new LineHeaders(texts.join('\n'))
}

describe.each([
  ['in JSON', json],
  ['in lines', lines],
])('an event of FreeSWITCH %s', (_title, headers) => {
  it('has its type, its subclass and its headers by name', () => {
    const event = new KeyedEvent(headers(FIELDS))
    expect(event.getType()).toBe('CUSTOM')
    expect(event.subclass).toBe('a::b')
    expect(event.getHeader('Unique-ID')).toBe('u')
    expect(event.getHeader('Empty')).toBe('')
    expect(event.getHeader('Absent')).toBeNull()
  })

  it('takes names for data', () => {
    expect(new KeyedEvent(headers({})).getHeader('constructor')).toBeNull()
  })

  it('tells a name from a value that is the same text', () => {
    const event = new KeyedEvent(headers({ first: 'second', second: 'third', third: 'x' }))
    expect(['first', 'second', 'third'].map((name) => event.getHeader(name))).toEqual([
      'second',
      'third',
      'x',
    ])
  })

  it('has its length as a number', () => {
    expect(new KeyedEvent(headers({ 'Content-Length': '12' })).getHeader('Content-Length')).toBe(12)
  })

  it('is walked over header by header, in their order', () => {
    const event = new KeyedEvent(headers(FIELDS))
    const names = [event.firstHeader()]
    while (names.at(-1) !== null) names.push(event.nextHeader())
    expect(names).toEqual([...Object.keys(FIELDS), null])
    expect(event.nextHeader()).toBeNull()
    expect(event.firstHeader()).toBe('Event-Name')
  })

  it('replaces and adds headers', () => {
    const event = new KeyedEvent(headers(FIELDS))
    event.addHeader('Empty', 'full')
    event.addHeader('New', 1)
    expect([event.getHeader('Empty'), event.getHeader('New')]).toEqual(['full', 1])
    expect(event.firstHeader()).toBe('Event-Name')
  })
})

describe('the body of an event', () => {
  it.each([
    ['beside the headers', new KeyedEvent(json({}), 'text'), 'text'],
    ['within them, as JSON has it', new KeyedEvent(json({ _body: 'a\n"text"' })), 'a\n"text"'],
    ['nowhere', new KeyedEvent(json({})), ''],
  ])('is found %s', (_title, event, body) => {
    expect(event.getBody()).toBe(body)
    expect(event.getHeader('_body')).toBeNull()
  })
})

describe('headers in JSON', () => {
  it.each([
    ['a value with escapes', '{"a":"1\\"2","b":"3"}', '1"2'],
    ['a name within a value', '{"x":"\\"a\\":\\"no\\"","a":"yes"}', 'yes'],
    ['a name within a name', '{"x\\"a":"no","a":"yes"}', 'yes'],
    ['spaces', '{ "a" : "yes" }', 'yes'],
    ['a value that is no text', '{"a":7}', 7],
    ['text that ends too soon', '{"a":"yes}', undefined],
  ])('are found beside %s', (_title, text, value) => {
    expect(JsonHeaders.of(text)?.get('a')).toBe(value)
  })

  it('are none of a text that is no object', () => {
    expect(JsonHeaders.of('[]')).toBeUndefined()
    expect(JsonHeaders.of('')).toBeUndefined()
  })
})

describe('headers in lines', () => {
  it.each([
    ['a line like it that is longer', 'aa: no\na: yes', 'yes'],
    ['a value that names it', 'x: a: no\na: yes', 'yes'],
    ['a value with colons', 'a: b: c', 'b: c'],
    ['an encoded value', 'a: 1%202', '1 2'],
    ['a stray percent sign', 'a: 100% sure%20', '100% sure%20'],
    ['one before it that is replaced', 'a: no\na: yes', 'yes'],
    ['no value', 'a\nb: no', ''],
  ])('are found with %s', (_title, text, value) => {
    expect(new LineHeaders(text).get('a')).toBe(value)
  })
})
