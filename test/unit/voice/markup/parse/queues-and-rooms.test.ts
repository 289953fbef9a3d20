/**
 * | element | attribute | values | default | wrong |
 * |---|---|---|---|---|
 * | Refer | action, method; Sip | URL; GET, POST; URI | goes on, POST | 12200 |
 * | Enqueue | action, method | URL; GET, POST | goes on, POST | 12200 |
 * | Enqueue | waitUrl, waitUrlMethod | URL, empty = silence; GET, POST | music, POST | 12200 |
 * | Enqueue | maxQueueSize | 1 to 5000 | the queue's | 12200 |
 * | Enqueue | (text), Task | name up to 64 characters; JSON | – | 12200 |
 * | Leave | – | – | – | – |
 * | Queue | url, method, (text) | URL; GET, POST; name | none, POST | 12200 |
 * | Conference | muted 13230, endConferenceOnExit 13231, startConferenceOnEnter 13232, waitUrl 13233,
 *   waitMethod 13234,
 *   beep 13235, (text) 13237, trim 13239, coach 13240, participantLabel 16023; the others 12200 |
 */
import { describe, expect, it } from 'vitest'
import { parseConference } from '../../../../../src/voice/markup/parse/conference.js'
import { parseQueue } from '../../../../../src/voice/markup/parse/queue.js'
import { collectWarnings, type Warn } from '../../../../../src/voice/markup/parse/warnings.js'
import { readXml, type XmlElement } from '../../../../../src/voice/markup/parse/xml.js'
import { verbOf } from './support.js'

function nounOf<T>(parse: (element: XmlElement, warn: Warn) => T, text: string) {
  const element = readXml(text)
  if (element.type === 'failure') throw new Error(element.message)
  const { warn, warnings } = collectWarnings()
  const noun = parse(element, warn)
  return { noun, codes: warnings.map((w) => w.code) }
}

describe('Refer', () => {
  it.each<[string, object, number[]]>([
    [
      '<Refer><Sip> sip:a@b.example </Sip></Refer>',
      { target: 'sip:a@b.example', action: undefined, method: 'POST' },
      [],
    ],
    [
      '<Refer action="/x" method="GET"><Sip>sip:a@b</Sip></Refer>',
      { target: 'sip:a@b', action: '/x', method: 'GET' },
      [],
    ],
    ['<Refer/>', { target: undefined }, []],
    ['<Refer><Sip/></Refer>', { target: undefined }, []],
    ['<Refer method="PUT"><Sip>sip:a@b</Sip></Refer>', { method: 'POST' }, [12200]],
  ])('%s', (body, verb, codes) => {
    expect(verbOf('refer', body)).toMatchObject({ verb, codes })
  })
})

describe('Enqueue', () => {
  it.each<[string, string, object, number[]]>([
    [
      '',
      ' support ',
      { queue: 'support', waitUrl: undefined, waitMethod: 'POST', maxQueueSize: undefined },
      [],
    ],
    ['waitUrl=""', 'q', { waitUrl: '' }, []],
    ['waitUrl="/w" waitUrlMethod="GET"', 'q', { waitUrl: '/w', waitMethod: 'GET' }, []],
    ['action="/a" method="GET"', 'q', { action: '/a', method: 'GET' }, []],
    ['maxQueueSize="1"', 'q', { maxQueueSize: 1 }, []],
    ['maxQueueSize="0"', 'q', { maxQueueSize: undefined }, [12200]],
    ['maxQueueSize="5001"', 'q', { maxQueueSize: undefined }, [12200]],
    ['waitUrlMethod="PUT"', 'q', { waitMethod: 'POST' }, [12200]],
    ['', '', { queue: undefined }, [12200]],
    ['', 'q'.repeat(64), { queue: 'q'.repeat(64) }, []],
    ['', 'q'.repeat(65), { queue: undefined }, [12200]],
    [
      'workflowSid="WW1"',
      '<Task priority="5">{"a":1}</Task>',
      { queue: undefined, task: { workflowSid: 'WW1', attributes: '{"a":1}' } },
      [],
    ],
  ])('%s %s', (attributes, text, verb, codes) => {
    expect(verbOf('enqueue', `<Enqueue ${attributes}>${text}</Enqueue>`)).toMatchObject({
      verb,
      codes,
    })
  })
})

it('Leave', () => {
  expect(verbOf('leave', '<Leave/>').codes).toEqual([])
})

describe('Queue in Dial', () => {
  it.each<[string, object, number[]]>([
    ['<Queue>support</Queue>', { name: 'support', announcement: undefined }, []],
    [
      '<Queue url="/hello" method="GET">s</Queue>',
      { announcement: { url: '/hello', method: 'GET' } },
      [],
    ],
    ['<Queue/>', { name: undefined }, [12200]],
    ['<Queue url="/h" method="PUT">s</Queue>', { announcement: { method: 'POST' } }, [12200]],
  ])('%s', (text, noun, codes) => {
    expect(nounOf(parseQueue, text)).toMatchObject({ noun, codes })
  })
})

describe('Conference in Dial', () => {
  const CALL = `CA${'0123456789abcdef'.repeat(2)}`
  const room = (attributes: string) =>
    nounOf(parseConference, `<Conference ${attributes}>Room 1</Conference>`)

  it('without attributes', () => {
    expect(room('')).toMatchObject({
      codes: [],
      noun: {
        name: 'Room 1',
        muted: false,
        beep: 'true',
        startOnEnter: true,
        endOnExit: false,
        participantLabel: undefined,
        jitterBufferSize: 'large',
        waitUrl: undefined,
        waitMethod: 'POST',
        maxParticipants: 250,
        recordFromStart: false,
        trim: 'trim-silence',
        coach: undefined,
        statusCallback: undefined,
        recordingStatusCallback: undefined,
      },
    })
  })

  it.each<[string, object]>([
    ['muted="true"', { muted: true }],
    ['beep="onEnter"', { beep: 'onEnter' }],
    ['beep="false"', { beep: 'false' }],
    ['startConferenceOnEnter="false"', { startOnEnter: false }],
    ['endConferenceOnExit="true"', { endOnExit: true }],
    ['participantLabel="customer"', { participantLabel: 'customer' }],
    ['jitterBufferSize="off"', { jitterBufferSize: 'off' }],
    ['waitUrl=""', { waitUrl: '' }],
    ['waitUrl="/w" waitMethod="GET"', { waitUrl: '/w', waitMethod: 'GET' }],
    ['maxParticipants="2"', { maxParticipants: 2 }],
    ['record="record-from-start"', { recordFromStart: true }],
    ['record="true"', { recordFromStart: true }],
    ['trim="do-not-trim"', { trim: 'do-not-trim' }],
    ['region="ie1"', {}],
    [`coach="${CALL}"`, { coach: CALL }],
    [`coach="CA${'AB'.repeat(16)}"`, { coach: `CA${'ab'.repeat(16)}` }],
    [
      'statusCallback="/s" statusCallbackEvent="leave join"',
      { statusCallback: { url: '/s', method: 'POST', events: ['join', 'leave'] } },
    ],
    ['statusCallback="/s"', { statusCallback: { events: [] } }],
    [
      'recordingStatusCallback="/r"',
      { recordingStatusCallback: { url: '/r', events: ['completed'] } },
    ],
  ])('%s', (attributes, noun) => {
    expect(room(attributes)).toMatchObject({ noun, codes: [] })
  })

  it.each<[string, number, object]>([
    ['muted="no"', 13230, { muted: false }],
    ['endConferenceOnExit="no"', 13231, { endOnExit: false }],
    ['startConferenceOnEnter="no"', 13232, { startOnEnter: true }],
    ['waitUrl="ftp://a.test/b"', 13233, { waitUrl: undefined }],
    ['waitUrl="http://a b"', 13233, { waitUrl: undefined }],
    ['waitUrl="http://a.test/&#9;b"', 13233, { waitUrl: undefined }],
    ['waitUrl="http://a.test/&#133;"', 13233, { waitUrl: undefined }],
    ['waitMethod="PUT"', 13234, { waitMethod: 'POST' }],
    ['beep="loud"', 13235, { beep: 'true' }],
    ['trim="no"', 13239, { trim: 'trim-silence' }],
    ['coach="CA1"', 13240, { coach: undefined }],
    ['participantLabel="a/b"', 16023, { participantLabel: undefined }],
    ['participantLabel="a&#127;b"', 16023, { participantLabel: undefined }],
    [`participantLabel="${CALL}"`, 16023, { participantLabel: undefined }],
    [`participantLabel="${'l'.repeat(129)}"`, 16023, { participantLabel: undefined }],
    ['maxParticipants="251"', 12200, { maxParticipants: 250 }],
    ['record="yes"', 12200, { recordFromStart: false }],
    ['region="mars"', 12200, {}],
    ['jitterBufferSize="huge"', 12200, { jitterBufferSize: 'large' }],
    ['statusCallback="/s" statusCallbackEvent="nap"', 12200, { statusCallback: { events: [] } }],
  ])('%s → %d', (attributes, code, noun) => {
    expect(room(attributes)).toMatchObject({ noun, codes: [code] })
  })

  it('its name has up to 128 characters, of which an emoji is one', () => {
    const name = '😀'.repeat(128)
    expect(nounOf(parseConference, `<Conference>${name}</Conference>`)).toMatchObject({
      noun: { name },
      codes: [],
    })
  })

  it.each([
    '',
    '😀'.repeat(129),
    'r'.repeat(129),
    'r&#127;',
    'r\u0085oom',
  ])('its name cannot be "%s"', (name) => {
    expect(nounOf(parseConference, `<Conference>${name}</Conference>`)).toMatchObject({
      noun: { name: undefined },
      codes: [13237],
    })
  })
})
