import { describe, expect, it } from 'vitest'
import { KeyedEvent } from '../../../../../src/voice/telephony/freeswitch/keyed-event.js'

const FIELDS = { 'Event-Name': 'CUSTOM', 'Event-Subclass': 'a::b', 'Unique-ID': 'u', Empty: '' }

describe('an event of FreeSWITCH', () => {
  it('has its type, its subclass and its headers by name', () => {
    const event = new KeyedEvent(FIELDS)
    expect(event.getType()).toBe('CUSTOM')
    expect(event.subclass).toBe('a::b')
    expect(event.getHeader('Unique-ID')).toBe('u')
    expect(event.getHeader('Empty')).toBe('')
    expect(event.getHeader('Absent')).toBeNull()
  })

  it('takes names for data', () => {
    expect(new KeyedEvent({}).getHeader('constructor')).toBeNull()
  })

  it.each([
    ['beside the headers', new KeyedEvent({}, 'text'), 'text'],
    ['within them, as JSON has it', new KeyedEvent({ _body: 'text' }), 'text'],
    ['nowhere', new KeyedEvent({}), ''],
  ])('has its body %s', (_title, event, body) => {
    expect(event.getBody()).toBe(body)
    expect(event.getHeader('_body')).toBeNull()
  })

  it('is walked over header by header, in their order', () => {
    const event = new KeyedEvent(FIELDS)
    const names = [event.firstHeader()]
    while (names.at(-1) !== null) names.push(event.nextHeader())
    expect(names).toEqual([...Object.keys(FIELDS), null])
    expect(event.nextHeader()).toBeNull()
    expect(event.firstHeader()).toBe('Event-Name')
  })

  it('replaces and adds headers', () => {
    const event = new KeyedEvent({ ...FIELDS })
    event.addHeader('Empty', 'full')
    event.addHeader('New', 1)
    expect([event.getHeader('Empty'), event.getHeader('New')]).toEqual(['full', 1])
  })
})
