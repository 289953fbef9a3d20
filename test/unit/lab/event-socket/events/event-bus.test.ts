import { describe, expect, it } from 'vitest'
import { EventBus, type EventDraft } from '../../../../../src/lab/event-socket/events/event-bus.js'
import { Subscription } from '../../../../../src/lab/event-socket/events/subscription.js'
import {
  type EventFormat,
  eventAsJson,
  type FiredEvent,
} from '../../../../../src/lab/event-socket/events/switch-event.js'
import { readSwitchFacts } from '../../../../../src/lab/event-socket/model/switch-facts.js'

const facts = readSwitchFacts(
  {
    sipAddress: '127.0.0.1:5080',
    mediaAddress: '127.0.0.1',
    extRtpAddress: '127.0.0.1',
    profile: 'drachtio_mrf',
    missingModules: [],
  },
  100,
)

/** A connection that asked for answers, in this format. */
function listen(bus: EventBus, format: EventFormat, channel?: string): Buffer[] {
  const subscription = new Subscription()
  subscription.format = format
  subscription.add(['CHANNEL_ANSWER'])
  if (channel !== undefined) subscription.addFilter('Unique-ID', channel)
  const frames: Buffer[] = []
  bus.attach({
    wants: (what) => subscription.wants(what),
    deliver: (fired: FiredEvent) => {
      if (subscription.passes(fired.event)) frames.push(fired.as(format))
    },
  })
  return frames
}

describe('an event', () => {
  const made: string[] = []
  const draft = (name: string): EventDraft => ({
    name,
    channel: 'one',
    headers: () => {
      made.push(name)
      return [['Unique-ID', 'one']]
    },
  })

  it('is written once in each format, however many listen', () => {
    const bus = new EventBus(facts)
    const json = [listen(bus, 'json'), listen(bus, 'json', 'one'), listen(bus, 'json', 'one')]
    const plain = [listen(bus, 'plain'), listen(bus, 'plain', 'one')]
    bus.fire(draft('CHANNEL_ANSWER'))
    expect(made.splice(0)).toEqual(['CHANNEL_ANSWER'])
    // The very same bytes, not only equal ones.
    expect(new Set(json.map(([frame]) => frame)).size).toBe(1)
    expect(new Set(plain.map(([frame]) => frame)).size).toBe(1)
    expect(String(json[0]?.[0])).toContain('Content-Type: text/event-json\n\n{"Event-Name"')
    expect(String(plain[0]?.[0])).toContain('Content-Type: text/event-plain\n\nEvent-Name: ')
  })

  it('is not made when nobody wants it', () => {
    const bus = new EventBus(facts)
    const frames = [listen(bus, 'json', 'another'), listen(bus, 'json')]
    bus.fire(draft('CHANNEL_STATE'))
    expect([made, frames.flat()]).toEqual([[], []])
  })
})

describe('an event as JSON', () => {
  it.each([
    ['plain text', 'a b', undefined],
    ['quotes and backslashes', '"a\\b"', undefined],
    ['line breaks and controls', 'v=0\r\n\u0000\u007f', undefined],
    ['other scripts, and half a character', 'čaj 茶 \ud800', undefined],
    ['a body', 'a', 'line one\n"line two"'],
  ])('holds %s', (_title, value, body) => {
    const headers = new Map([
      ['Event-Name', 'CUSTOM'],
      ['Content-Length', '7'],
      [`variable_${value}`, value],
    ])
    const event = { name: 'CUSTOM', subclass: undefined, headers, body }
    const ofBody =
      body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)), _body: body }
    const expected: unknown = { ...Object.fromEntries(headers), ...ofBody }
    expect(JSON.parse(eventAsJson(event))).toEqual(expected)
  })

  it('without a header is an empty object', () => {
    const event = { name: 'CUSTOM', subclass: undefined, headers: new Map(), body: undefined }
    expect(eventAsJson(event)).toBe('{}')
  })
})
