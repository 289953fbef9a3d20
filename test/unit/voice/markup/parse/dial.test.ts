import { describe, expect, it } from 'vitest'
import { verbOf } from './support.js'

const NUMBER = '+15551112222'
const dial = (attributes: string, children = NUMBER) =>
  verbOf('dial', `<Dial ${attributes}>${children}</Dial>`)
const nounsOf = (children: string) => {
  const { verb, codes } = dial('', children)
  return { nouns: verb.nouns, codes }
}

it('without attributes', () => {
  const { verb, codes } = dial('')
  expect(codes).toEqual([])
  expect(verb).toMatchObject({
    action: undefined,
    method: 'POST',
    timeoutMs: 30_000,
    timeLimitMs: 14_400_000,
    hangupOnStar: false,
    answerOnBridge: false,
    callerId: undefined,
    callReason: undefined,
    order: 'simultaneous',
    ringTone: undefined,
    recording: undefined,
    refer: undefined,
    nouns: [{ type: 'number', number: NUMBER }],
  })
})

describe('attributes', () => {
  it.each<[string, object]>([
    ['action="/done" method="GET"', { action: '/done', method: 'GET' }],
    ['timeout="5"', { timeoutMs: 5_000 }],
    ['timeout="600"', { timeoutMs: 600_000 }],
    ['timeLimit="60"', { timeLimitMs: 60_000 }],
    ['hangupOnStar="true"', { hangupOnStar: true }],
    ['answerOnBridge="true"', { answerOnBridge: true }],
    ['sequential="true"', { order: 'sequential' }],
    ['callerId="+15550001111"', { callerId: '+15550001111' }],
    ['callerId="sip:alice@a.example"', { callerId: 'sip:alice@a.example' }],
    ['callerId="alice"', { callerId: 'alice' }],
    ['callerId=""', { callerId: undefined }],
    ['callReason=" Your order "', { callReason: 'Your order' }],
    ['ringTone="jp"', { ringTone: { parts: [{ frequencies: [400], onMs: 1_000, offMs: 2_000 }] } }],
    ['ringTone="uk"', { ringTone: { parts: [{ offMs: 200 }, { offMs: 2_000 }] } }],
    ['record="do-not-record"', { recording: undefined }],
    ['record="false"', { recording: undefined }],
    ['record="true"', { recording: { from: 'answer', channels: 'mono', track: 'both' } }],
    ['record="record-from-answer"', { recording: { from: 'answer', channels: 'mono' } }],
    ['record="record-from-answer-dual"', { recording: { from: 'answer', channels: 'dual' } }],
    ['record="record-from-ringing"', { recording: { from: 'ringing', channels: 'mono' } }],
    ['record="record-from-ringing-dual"', { recording: { from: 'ringing', channels: 'dual' } }],
    [
      'record="true" recordingTrack="inbound" trim="trim-silence" recordingStatusCallback="/r" recordingStatusCallbackEvent="absent"',
      {
        recording: {
          track: 'inbound',
          trim: 'trim-silence',
          statusCallback: { url: '/r', method: 'POST', events: ['absent'] },
        },
      },
    ],
    ['referUrl="/refer" referMethod="GET"', { refer: { url: '/refer', method: 'GET' } }],
  ])('%s', (attributes, expected) => {
    const { verb, codes } = dial(attributes)
    expect(codes).toEqual([])
    expect(verb).toMatchObject(expected)
  })

  it.each<[string, number, object]>([
    ['method="PUT"', 13210, { method: 'POST' }],
    ['timeout="4"', 13212, { timeoutMs: 30_000 }],
    ['timeout="601"', 13212, { timeoutMs: 30_000 }],
    ['timeout="soon"', 13212, { timeoutMs: 30_000 }],
    ['hangupOnStar="yes"', 13213, { hangupOnStar: false }],
    ['callerId="&lt;sip&gt;"', 13214, { callerId: undefined }],
    ['callerId="a b\tc"', 13214, { callerId: undefined }],
    [`callerId="${'9'.repeat(65)}"`, 13248, { callerId: undefined }],
    ['timeLimit="0"', 13216, { timeLimitMs: 14_400_000 }],
    ['record="maybe"', 13217, { recording: undefined }],
    ['sequential="1"', 13218, { order: 'simultaneous' }],
    ['answerOnBridge="1"', 13219, { answerOnBridge: false }],
    ['ringTone="atlantis"', 13220, { ringTone: undefined }],
    ['record="true" recordingStatusCallbackEvent="never"', 13256, {}],
    ['record="true" recordingStatusCallbackMethod="PUT"', 13256, {}],
    [`callReason="${'x'.repeat(51)}"`, 12200, { callReason: undefined }],
  ])('%s is %i', (attributes, code, expected) => {
    const { verb, codes } = dial(attributes)
    expect(codes).toEqual([code])
    expect(verb).toMatchObject(expected)
  })
})

describe('whom it dials', () => {
  it('nobody, without a word, when it is empty', () => {
    expect(nounsOf('')).toEqual({ nouns: [], codes: [] })
  })

  it.each([
    NUMBER,
    '(415) 555-1212',
    '415-555-1212',
    ' 911 ',
  ])('the number %j in its text', (text) => {
    expect(nounsOf(text)).toMatchObject({ nouns: [{ number: text.trim() }], codes: [] })
  })

  it('no text beside nouns, with a warning', () => {
    expect(nounsOf(`${NUMBER} <Number>+15005550001</Number>`)).toMatchObject({
      nouns: [{ number: '+15005550001' }],
      codes: [12200],
    })
  })

  it('no text that is no number', () => {
    expect(nounsOf('my mother')).toEqual({ nouns: [], codes: [13223] })
  })

  it('at most ten', () => {
    const { nouns, codes } = nounsOf(`<Number>${NUMBER}</Number>`.repeat(11))
    expect(nouns).toHaveLength(10)
    expect(codes).toEqual([13250])
  })

  it('no other noun beside a room or a queue', () => {
    const number = `<Number>${NUMBER}</Number>`
    const room = '<Conference>Room</Conference>'
    expect(nounsOf(room + number)).toMatchObject({
      nouns: [{ type: 'conference' }],
      codes: [13000],
    })
    expect(nounsOf(number + room)).toMatchObject({ nouns: [{ type: 'number' }], codes: [13000] })
    expect(nounsOf('<Queue>Q</Queue>')).toMatchObject({ nouns: [{ type: 'queue' }], codes: [] })
  })

  it('keeps a noun that it cannot dial as it was written', () => {
    expect(nounsOf('<WhatsApp>+15551234567</WhatsApp>')).toMatchObject({
      nouns: [{ type: 'other', element: { name: 'WhatsApp' } }],
      codes: [],
    })
  })
})

describe('Client', () => {
  it.each([
    ['<Client>bob</Client>', 'client:bob'],
    ['<Client> bob </Client>', 'client:bob'],
    ['<Client><Identity>bob</Identity><Parameter name="a" value="b"/></Client>', 'client:bob'],
  ])('%s is a registered user', (noun, uri) => {
    expect(nounsOf(noun)).toMatchObject({
      nouns: [{ type: 'sip', targets: [{ uri, auth: undefined }], headers: {} }],
      codes: [],
    })
  })

  it('has the screening and the callbacks of a Number', () => {
    const noun =
      '<Client url="/screen" method="GET" statusCallback="/s" statusCallbackEvent="ringing">bob</Client>'
    expect(nounsOf(noun)).toMatchObject({
      nouns: [
        {
          party: {
            screening: { url: '/screen', method: 'GET' },
            statusCallback: { url: '/s', events: ['ringing'] },
          },
        },
      ],
      codes: [],
    })
  })

  it('without a name is not dialled: 13243', () => {
    expect(nounsOf('<Client></Client>')).toMatchObject({ nouns: [], codes: [13243] })
  })
})

describe('Number', () => {
  const number = (attributes: string) => nounsOf(`<Number ${attributes}>${NUMBER}</Number>`)

  it.each<[string, object]>([
    ['', { screening: undefined, sendDigits: undefined, statusCallback: undefined }],
    ['url="/s" method="GET"', { screening: { url: '/s', method: 'GET' } }],
    ['sendDigits="wW1#"', { sendDigits: 'wW1#' }],
    [
      'statusCallback="/c"',
      { statusCallback: { url: '/c', method: 'POST', events: ['completed'] } },
    ],
    [
      'statusCallback="/c" statusCallbackMethod="GET" statusCallbackEvent="initiated answered"',
      { statusCallback: { method: 'GET', events: ['initiated', 'answered'] } },
    ],
    [
      'machineDetection="Enable"',
      {
        machineDetection: {
          mode: 'enable',
          timeoutMs: 30_000,
          speechThresholdMs: 2_400,
          speechEndThresholdMs: 1_200,
          silenceTimeoutMs: 5_000,
        },
      },
    ],
    [
      'machineDetection="Enable" machineDetectionCorrectionWindow="30000"',
      { machineDetection: { mode: 'enable', correctionWindowMs: 30_000 } },
    ],
    [
      'machineDetection="DetectMessageEnd" machineDetectionTimeout="3" amdStatusCallback="/amd"',
      {
        machineDetection: {
          mode: 'detect-message-end',
          timeoutMs: 3_000,
          callback: { url: '/amd', method: 'POST' },
        },
      },
    ],
  ])('%s', (attributes, party) => {
    expect(number(attributes)).toMatchObject({ nouns: [{ type: 'number', party }], codes: [] })
  })

  it.each<[string, number]>([
    ['url="/s" method="PUT"', 13221],
    ['sendDigits="1-2"', 13222],
    [`sendDigits="${'1'.repeat(33)}"`, 13222],
    ['machineDetection="Maybe"', 21234],
    ['machineDetection="Enable" machineDetectionTimeout="2"', 21234],
    ['machineDetection="Enable" machineDetectionSilenceTimeout="100"', 21234],
    ['machineDetection="Enable" machineDetectionCorrectionWindow="0"', 21234],
    ['statusCallback="/c" statusCallbackEvent="never"', 12200],
  ])('%s is %i', (attributes, code) => {
    expect(number(attributes).codes).toEqual([code])
  })

  it('is not dialled without a number', () => {
    expect(nounsOf('<Number>nobody</Number>')).toEqual({ nouns: [], codes: [13223] })
  })
})

describe('Sip', () => {
  const sip = (content: string, attributes = '') => nounsOf(`<Sip ${attributes}>${content}</Sip>`)
  const targets = (uri: string) => ({ targets: [{ uri, auth: undefined }] })

  it.each<[string, object]>([
    ['sip:bob@a.example', targets('sip:bob@a.example')],
    [' SIP:bob@a.example:5070;transport=tcp ', targets('sip:bob@a.example:5070;transport=tcp')],
    ['sips:[2001:db8::1]', targets('sips:[2001:db8::1]')],
    [
      'sip:bob@a.example;transport=tls?X-A=b%20c&amp;user-to-user=1%3B2',
      {
        ...targets('sip:bob@a.example;transport=tls'),
        headers: { 'X-A': 'b c', 'user-to-user': '1;2' },
      },
    ],
    [
      `sip:bob@a.example?X-A=${'a'.repeat(1000)}`,
      { ...targets('sip:bob@a.example'), headers: { 'X-A': 'a'.repeat(1000) } },
    ],
    [
      'sip:bob@a.example?X-A=uri<Headers><Header name="X-A" value="element"/><Header name="P-Called-Party-ID" value="x"/></Headers>',
      { headers: { 'X-A': 'element', 'P-Called-Party-ID': 'x' } },
    ],
    [
      '<Uri priority="2">sip:c@a.example</Uri><Uri weight="1">sip:b@a.example</Uri><Uri weight="9" username="u" password="p">sip:a@a.example</Uri>',
      {
        targets: [
          { uri: 'sip:a@a.example', auth: { username: 'u', password: 'p' } },
          { uri: 'sip:b@a.example', auth: undefined },
          { uri: 'sip:c@a.example', auth: undefined },
        ],
      },
    ],
  ])('%s', (content, noun) => {
    expect(sip(content)).toMatchObject({ nouns: [{ type: 'sip', ...noun }], codes: [] })
  })

  it('has credentials for all its addresses', () => {
    const { nouns } = sip('sip:bob@a.example', 'username="u" password="p&quot;"')
    expect(nouns).toMatchObject([{ targets: [{ auth: { username: 'u', password: 'p"' } }] }])
  })

  it.each<[string, string, number]>([
    ['method="PUT"', 'sip:bob@a.example', 13241],
    ['sendDigits="x"', 'sip:bob@a.example', 13242],
    ['', 'bob@a.example', 13243],
    ['', 'sip:bob@a.example|x', 13243],
    ['', 'sip:bob@a.example;transport=sctp', 13243],
    ['', '<Uri>sip:a.example;lr;Transport=WS</Uri>', 13243],
    ['', 'sip:bob@a.example:0', 13243],
    ['', '<Uri>sip:bob@a.example:99999</Uri>', 13243],
    ['', 'sip:bob@a.example;x&#13;&#10;X-Evil: 1', 13243],
    ['', `sip:${'b'.repeat(260)}@a.example`, 13243],
    ['password="p"', 'sip:bob@a.example', 13244],
    ['username="a&quot;b" password="p"', 'sip:bob@a.example', 13249],
    ['', '<Uri>sip:bob@a.example</Uri>'.repeat(11), 13250],
    ['', `sip:a@b?${'X-A=1&amp;'.repeat(51)}X-B=1`, 13251],
    ['', `sip:a@b?X-A=${'1'.repeat(1020)}`, 13251],
    ['', `sip:a@b${'<Headers><Header name="X-A" value="1"/></Headers>'.repeat(51)}`, 13251],
    ['', 'sip:a@b?Contact=x', 13252],
    ['', 'sip:a@b<Headers><Header name="Via" value="1"/></Headers>', 13252],
    ['', 'sip:a@b<Headers><Header name="X-esl-outbound" value="1"/></Headers>', 13252],
    ['', 'sip:a@b?X-A=%0d%0aVia:1', 13253],
    ['', 'sip:a@b?X-A=%', 13253],
    ['', 'sip:a@b<Headers><Header name="X-A"/></Headers>', 13253],
  ])('%s %s is %i', (attributes, content, code) => {
    const { nouns, codes } = sip(content, attributes)
    expect(codes).toEqual([code])
    expect(nouns).toHaveLength(code === 13243 ? 0 : 1)
  })
})
