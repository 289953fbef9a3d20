import { describe, expect, it } from 'vitest'
import { AdapterError, InvariantError } from '../../../../src/platform/errors.js'
import { DialRefusedError } from '../../../../src/voice/markup/child-call.js'
import type { MarkupEnd } from '../../../../src/voice/markup/document.js'
import type { MarkupHost } from '../../../../src/voice/markup/host.js'
import { StreamStartError } from '../../../../src/voice/markup/hosted-stream.js'
import { FetchError, MediaTypeError } from '../../../../src/voice/model/fetch-errors.js'
import { SpeechTextError } from '../../../../src/voice/model/speech-request.js'
import { type AudioSource, PlaybackError } from '../../../../src/voice/telephony/leg-media.js'
import { LegEndedError } from '../../../../src/voice/telephony/port.js'
import {
  BASE,
  type Played,
  play,
  playBody,
  type Scenario,
  StopError,
  timelineUntil,
} from './fake-host.js'

const BACKUP = 'http://backup.example/'
const FETCHED = `0 POST ${BASE}`
const codes = ({ log }: Played, type: 'error' | 'warning') =>
  log.flatMap((entry) => (entry.type === type ? [entry.code] : []))

describe('verbs run top to bottom', () => {
  it.each<[string, string, string[], MarkupEnd['type']]>([
    ['nothing', '', [], 'finished'],
    ['Say', '<Say>Hi</Say>', ['0 say Hi'], 'finished'],
    ['two of them', '<Say>A</Say><Say>B</Say>', ['0 say A', '1000 say B'], 'finished'],
    ['Say twice', '<Say loop="2">A</Say>', ['0 say A', '1000 say A'], 'finished'],
    [
      'Say with a break',
      '<Say>A<break time="2s"/>B</Say>',
      ['0 say A', '1000 silence', '3000 say B'],
      'finished',
    ],
    [
      'Play',
      '<Play loop="2">http://x.example/3s.wav</Play>',
      ['0 play http://x.example/3s.wav', '3000 play http://x.example/3s.wav'],
      'finished',
    ],
    [
      'Play of a relative URL',
      '<Play>../a/2s.wav</Play>',
      ['0 play http://app.example/a/2s.wav'],
      'finished',
    ],
    [
      'Play of digits',
      '<Play digits="12w#"/><Say>B</Say>',
      ['0 send 12w#', '400 say B'],
      'finished',
    ],
    ['Play of nothing', '<Play/><Say>B</Say>', ['0 say B'], 'finished'],
    ['Pause', '<Pause length="3"/><Say>B</Say>', ['0 silence', '3000 say B'], 'finished'],
    ['Hangup ends', '<Hangup/><Say>never</Say>', [], 'hangup'],
    ['Reject of an answered call hangs up', '<Reject/><Say>never</Say>', [], 'hangup'],
  ])('%s', async (_title, body, timeline, end) => {
    const played = await playBody(body)
    expect(played.timeline).toEqual([FETCHED, ...timeline])
    expect(played.end.type).toBe(end)
    expect(codes(played, 'error')).toEqual([])
  })

  it('loop 0 is a thousand times, fetched once', async () => {
    let fetches = 0
    const fetchMedia = () => {
      fetches += 1
      return Promise.resolve({ type: 'file', path: '1s.wav' } as const)
    }
    const { timeline } = await playBody('<Play loop="0">a</Play>', { host: { fetchMedia } })
    expect(timeline).toHaveLength(1001)
    expect(fetches).toBe(1)
  })

  it('Say logs once what holds for several of its parts', async () => {
    const synthesise: MarkupHost['synthesise'] = ({ text }, warn) => {
      warn(13512, 'no voice speaks that')
      return Promise.resolve({ type: 'file', path: `say ${text}` })
    }
    const said = '<Say><s>A</s><s>B</s></Say>'
    const { log } = await playBody(said + said, { host: { synthesise } })
    expect(log.filter(({ type }) => type === 'warning')).toEqual(
      Array(2).fill({ type: 'warning', code: 13512, message: 'no voice speaks that' }),
    )
  })

  it('Say makes each part once, while the one before it is heard', async () => {
    const made: string[] = []
    const synthesise = ({ text }: { text: string }) => {
      made.push(text)
      return Promise.resolve({ type: 'file', path: `say ${text}` } as const)
    }
    const play = (source: AudioSource) => {
      heard.push(
        `${source.type === 'file' ? source.path : source.type} after making ${made.join()}`,
      )
      return Promise.resolve()
    }
    const heard: string[] = []
    const body = '<Say loop="2"><s>A</s><s>B</s><s>C</s></Say>'
    await playBody(body, { host: { synthesise }, media: { play } })
    expect(heard).toEqual([
      'say A after making A,B',
      'say B after making A,B,C',
      'say C after making A,B,C',
      'say A after making A,B,C',
      'say B after making A,B,C',
      'say C after making A,B,C',
    ])
  })

  it('logs each verb as it was written, and what was wrong with the document', async () => {
    const played = await playBody('<Say voice="nobody">Hi</Say><Sya/><Pay timeout="3"/>')
    expect(played.log).toEqual([
      {
        type: 'warning',
        code: 12200,
        message: '<Response> cannot contain <Sya>; did you mean "Say"?',
      },
      {
        type: 'warning',
        code: 13511,
        message: 'Say: voice="nobody" is not a known voice; only an engine of your own may know it',
      },
      { type: 'verb', verb: 'Say', attributes: { voice: 'nobody' }, text: 'Hi' },
      { type: 'verb', verb: 'Pay', attributes: { timeout: '3' } },
      { type: 'error', code: 13750, message: '<Pay> is not supported' },
    ])
  })

  it.each([
    'Dial',
    'Connect',
    'Start',
    'Stop',
  ])('logs a noun that %s does not run', async (verb) => {
    const noun = verb === 'Dial' ? 'Sim' : verb === 'Connect' ? 'Room' : 'Siprec'
    const { log } = await playBody(`<${verb}><${noun}/></${verb}>`)
    const message = `<${noun}> is not supported in <${verb}>`
    expect(log.filter(({ type }) => type !== 'verb')).toEqual([
      { type: 'error', code: 13750, message },
    ])
  })
})

describe('the answer rule', () => {
  it.each<[string, string, string[], MarkupEnd]>([
    ['a first Say answers', '<Say>A</Say>', ['0 answer', '0 say A'], { type: 'finished' }],
    ['a first Gather answers', '<Gather timeout="1"/>', ['0 answer'], { type: 'finished' }],
    ['a first Hangup answers', '<Hangup/>', ['0 answer'], { type: 'hangup' }],
    [
      'a leading Pause delays it',
      '<Pause length="4"/><Say>A</Say>',
      ['4000 answer', '4000 say A'],
      { type: 'finished' },
    ],
    [
      'a first Reject never does',
      '<Reject/><Say>A</Say>',
      [],
      { type: 'rejected', reason: 'rejected' },
    ],
    [
      'nor after a Pause',
      '<Pause/><Reject reason="busy"/>',
      [],
      { type: 'rejected', reason: 'busy' },
    ],
    [
      'Reject after Say comes too late',
      '<Say>A</Say><Reject/>',
      ['0 answer', '0 say A'],
      { type: 'hangup' },
    ],
    ['an empty document does not answer', '', [], { type: 'finished' }],
  ])('%s', async (_title, body, timeline, end) => {
    const played = await playBody(body, { isUnanswered: true })
    expect(played.timeline).toEqual([FETCHED, ...timeline])
    expect(played.end).toEqual(end)
  })
})

describe('the next document', () => {
  it.each<[string, string, string]>([
    ['absolute', 'https://other.example/b?c=1', 'POST https://other.example/b?c=1'],
    ['relative to the folder', 'next', 'POST http://app.example/next'],
    ['relative to the host', '/a/b', 'POST http://app.example/a/b'],
    ['only a query', '?x=1&amp;y=2', 'POST http://app.example/voice?x=1&y=2'],
    ['with white space around it', '\n  /a \n', 'POST http://app.example/a'],
  ])('Redirect: %s', async (_title, written, fetched) => {
    const url = fetched.slice('POST '.length)
    const played = await playBody(`<Redirect>${written}</Redirect><Say>never</Say>`, {
      documents: { [url]: '<Say>there</Say>' },
    })
    expect(played.timeline).toEqual([FETCHED, `0 ${fetched}`, '0 say there'])
  })

  it('Redirect with GET, then relative to where the request was led', async () => {
    const { timeline } = await playBody('<Redirect method="GET">/a</Redirect>', {
      documents: {
        'http://app.example/a': {
          url: 'http://new.example/deep/a',
          contentType: 'application/xml',
          text: '<Response><Redirect>b</Redirect></Response>',
        },
        'http://new.example/deep/b': '<Say>there</Say>',
      },
    })
    expect(timeline).toEqual([
      FETCHED,
      '0 GET http://app.example/a',
      '0 POST http://new.example/deep/b',
      '0 say there',
    ])
  })

  it('Redirect to nothing is the same document again', async () => {
    expect(await timelineUntil(1500, '<Say>A</Say><Redirect/>')).toEqual([
      FETCHED,
      '0 say A',
      `1000 POST ${BASE}`,
      '1000 say A',
      '1500 cut',
    ])
  })

  it.each<[string, string, number]>([
    ['not a web address', '<Redirect>ftp://a.example/</Redirect>', 11100],
    ['not an address at all', '<Redirect>http://[</Redirect>', 11100],
    ['a port where nothing listens', '<Redirect>http://a.example:0/</Redirect>', 11100],
    ['a file', '<Play>file:///etc/passwd</Play>', 11100],
    ['a source of the media server', '<Play>tone://250</Play>', 11100],
  ])('%s', async (_title, body, code) => {
    expect((await playBody(body)).end).toMatchObject({ type: 'application-error', code })
  })

  it('a loop of documents that do nothing ends', async () => {
    const played = await playBody('<Redirect/>')
    expect(played.end).toMatchObject({ type: 'application-error', code: 11215 })
    expect(played.timeline.length).toBeLessThanOrEqual(25)
  })

  it.each([
    [
      'a Connect of a stream that cannot begin',
      '<Connect><Stream url="wss://far.example/"/></Connect>',
    ],
    ['a Connect without any', '<Connect/>'],
    ['a Dial of nobody', '<Dial/>'],
    ['a Dial of a number that may not be called', '<Dial>+15005550001</Dial>'],
    [
      'a Dial of an application that is not there',
      `<Dial><Application>AP${'0'.repeat(32)}</Application></Dial>`,
    ],
    ['a Dial of a conference without a name', '<Dial><Conference/></Dial>'],
    ['a Dial of a queue that is not there', '<Dial><Queue>a</Queue></Dial>'],
    ['an Enqueue into a full queue', '<Enqueue>a</Enqueue>'],
    ['a Refer to nobody', '<Refer/>'],
  ])('a loop of documents with %s ends', async (_title, verb) => {
    const refused = () => Promise.reject(new DialRefusedError(13227, 'it may not be called'))
    const host: Partial<MarkupHost> = {
      startStream: () => Promise.reject(new StreamStartError(31922, 'no such scheme')),
      placeCall: refused,
      callApplication: refused,
      dialQueue: () => Promise.resolve({ type: 'nobody', why: 'no-queue' }),
      enterQueue: () => Promise.resolve({ result: 'queue-full', params: {} }),
    }
    const played = await playBody(`${verb}<Redirect/>`, { host })
    expect(played.end).toMatchObject({ type: 'application-error', code: 11215 })
    expect(played.timeline.filter((line) => line.includes('POST'))).toHaveLength(25)
  })

  it('a loop of documents that take their time goes on until the call ends', async () => {
    const body = '<Pause length="1"/><Redirect/>'
    const timeline = await timelineUntil(100_500, body)
    expect(timeline.filter((line) => line.includes('POST'))).toHaveLength(101)
  })

  it('a loop that is heard goes on until the call ends', async () => {
    let fetches = 0
    const fetchDocument = () => {
      fetches += 1
      const next = fetches < 200 ? '<Say>Hi</Say><Redirect/>' : ''
      const text = `<Response>${next}</Response>`
      return Promise.resolve({ url: BASE, contentType: 'text/xml', text })
    }
    expect((await play({ host: { fetchDocument } })).end).toEqual({ type: 'finished' })
    expect(fetches).toBe(200)
  })
})

describe('an inline document', () => {
  const inline = (body: string, scenario: Scenario = {}) =>
    play(scenario, { inline: `<Response>${body}</Response>` })

  it('runs without any fetch', async () => {
    expect((await inline('<Say>A</Say>')).timeline).toEqual(['0 say A'])
  })
  it('may lead to an absolute URL', async () => {
    const { timeline } = await inline(`<Redirect>${BASE}</Redirect>`, {
      documents: { [BASE]: '<Say>A</Say>' },
    })
    expect(timeline).toEqual([FETCHED, '0 say A'])
  })
  it.each([
    ['a relative Redirect', '<Redirect>/a</Redirect>', 15004],
    ['a Redirect to itself', '<Redirect/>', 15004],
    ['a relative Play', '<Play>a.wav</Play>', 15004],
    ['something that is no address', '<Redirect>http://</Redirect>', 11100],
    ['more than 4000 characters', `<Say>${'a'.repeat(4000)}</Say>`, 32018],
    ['bad markup', '<Say>', 12100],
  ])('%s fails', async (_title, body, code) => {
    expect((await inline(body)).end).toMatchObject({ type: 'application-error', code })
  })
  it.each([
    ['/events', 15004],
    ['http://', 11100],
  ])('goes on without the callbacks of a noun at "%s"', async (url, code) => {
    const callbacks: unknown[] = []
    const stream = `<Stream url="wss://far.example/" statusCallback="${url}"/>`
    const played = await inline(
      `<Start>${stream}</Start><Dial><Conference statusCallback="${url}">room</Conference></Dial><Say>B</Say>`,
      {
        host: {
          startStream: ({ statusCallback }) => {
            callbacks.push(statusCallback)
            return Promise.resolve({
              sid: 'MZ1',
              ended: Promise.resolve(),
              stop: () => undefined,
            })
          },
          enterConference: ({ statusCallback }) => {
            callbacks.push(statusCallback)
            return Promise.resolve()
          },
        },
      },
    )
    expect(callbacks).toEqual([undefined, undefined])
    expect(codes(played, 'warning')).toEqual([code, code])
    expect(played.timeline).toEqual(['0 say B'])
    expect(played.end).toEqual({ type: 'finished' })
  })
  it.each<[string, string, number]>([
    ['relative', '<Dial><Conference waitUrl="/wait">room</Conference></Dial>', 13233],
    ['relative', '<Enqueue waitUrl="/wait">support</Enqueue>', 15004],
    ['no web address', '<Enqueue waitUrl="ftp://far.example/">support</Enqueue>', 11100],
  ])('plays the usual music for a waitUrl that is %s: %s', async (_title, body, code) => {
    const heard: string[] = []
    const over = new AbortController()
    const played = await inline(`${body}<Say>B</Say>`, {
      host: {
        enterConference: ({ wait, waiting }) => wait(waiting, over.signal),
        enterQueue: async ({ wait }) => {
          await wait(() => ({}), over.signal)
          return { result: 'leave', params: {} }
        },
      },
      media: {
        play: ({ type }) => {
          heard.push(type)
          over.abort()
          return Promise.resolve()
        },
      },
    })
    expect(codes(played, 'warning')).toEqual([code])
    expect(heard).toEqual(['cadence', 'file'])
    expect(played.end).toEqual({ type: 'finished' })
  })
  it('a Gather with keys but without an action fails', async () => {
    const { end } = await inline('<Gather numDigits="1"/>', { keys: [[10, '1']] })
    expect(end).toMatchObject({ type: 'application-error', code: 15004 })
  })
  it.each([
    ['a Gather without an action', '<Gather/>', 'Gather: it has no action'],
    ['a Gather with an empty action', '<Gather action=" "/>', 'Gather: it has no action'],
    ['a Gather with a relative action', '<Gather action="/a"/>', 'Gather: action: "/a" is'],
    ['a Record without an action', '<Record/>', 'Record: it has no action'],
  ])('%s is warned of before the caller enters anything', async (_title, verb, message) => {
    const atStart = { host: { record: () => Promise.reject(new AdapterError('not recorded')) } }
    const played = await inline(verb, atStart)
    expect(codes(played, 'warning')).toEqual([15004])
    expect(JSON.stringify(played.log)).toContain(JSON.stringify(message).slice(1, -1))
  })
  it.each(['Gather', 'Record'])('a %s with an absolute action is not warned of', async (verb) => {
    const host = { record: () => Promise.reject(new AdapterError('not recorded')) }
    const played = await inline(`<${verb} action="http://app.example/a"/>`, { host })
    expect(codes(played, 'warning')).toEqual([])
  })
})

describe('what the application answers', () => {
  it.each<[string, string, string, string[]]>([
    [
      'application/twiml+xml is markup',
      'application/twiml+xml',
      '<Response><Say>A</Say></Response>',
      ['0 say A'],
    ],
    ['text/html is markup', 'text/html', '<Response><Say>A</Say></Response>', ['0 say A']],
    [
      'types in any case',
      'Application/XML ; charset=x',
      '<Response><Say>A</Say></Response>',
      ['0 say A'],
    ],
    ['audio is played', 'audio/mpeg', 'ID3', [`0 play ${BASE}`]],
    ['plain text is spoken', 'text/plain', 'Hello & bye', ['0 say Hello & bye']],
    [
      'plain text that is markup is run',
      'text/plain',
      '<Response><Say>A</Say></Response>',
      ['0 say A'],
    ],
  ])('%s', async (_title, contentType, text, timeline) => {
    const played = await play({ documents: { [BASE]: { contentType, text } } })
    expect(played.timeline).toEqual([FETCHED, ...timeline])
    expect(played.end).toEqual({ type: 'finished' })
  })
  it.each<[string, string, string, number]>([
    ['JSON', 'application/json', '{}', 12300],
    ['no type', '', '<Response/>', 11200],
    ['nothing', 'text/plain', '', 12100],
    ['broken markup', 'text/xml', '<Response>', 12100],
    ['a web page', 'text/html', '<html></html>', 12102],
  ])('%s is an application error', async (_title, contentType, text, code) => {
    const { end } = await play({ documents: { [BASE]: { contentType, text } } })
    expect(end).toMatchObject({ type: 'application-error', code })
  })
})

describe('fallback', () => {
  const asked = (code: number, url: string) =>
    `0 GET ${BACKUP} ${new URLSearchParams({ ErrorCode: String(code), ErrorUrl: url }).toString()}`
  const withFallback = (scenario: Scenario) => play(scenario, { fallback: BACKUP })
  const sorry = { [BACKUP]: '<Say>Sorry</Say>' }

  it.each<[string, Scenario, number, string]>([
    ['fetch failed', { documents: { ...sorry, [BASE]: 11205 } }, 11205, BASE],
    ['parse failed', { documents: { ...sorry, [BASE]: '<Say>' } }, 12100, BASE],
    [
      'bad URL in it',
      { documents: { ...sorry, [BASE]: '<Redirect>a:b</Redirect>' } },
      11100,
      'a:b',
    ],
    [
      'a later document failed',
      { documents: { ...sorry, [BASE]: '<Redirect>/x</Redirect>' } },
      11200,
      'http://app.example/x',
    ],
    ['a silent loop', { documents: { ...sorry, [BASE]: '<Redirect/>' } }, 11215, BASE],
  ])('%s: asked with the reason', async (_title, scenario, code, url) => {
    const played = await withFallback(scenario)
    expect(played.timeline.slice(-2)).toEqual([asked(code, url), '0 say Sorry'])
    expect(played.end).toEqual({ type: 'finished' })
    expect(codes(played, 'error')).toEqual([code])
  })

  it.each<[string, Error, number, string]>([
    ['media not found', new FetchError(11200, 'http://m/', 'x'), 11200, 'http://m/'],
    ['media of a wrong type', new MediaTypeError('http://m/', 'x'), 13420, 'http://m/'],
    ['our own trouble', new AdapterError('x'), 12400, BASE],
    ['playback failed', new PlaybackError('x'), 12400, BASE],
  ])('%s', async (_title, error, code, url) => {
    const documents = { ...sorry, [BASE]: '<Play>http://m/</Play>' }
    const fetchMedia = () => Promise.reject(error)
    const { timeline } = await withFallback({ documents, host: { fetchMedia } })
    expect(timeline.slice(-2)).toEqual([asked(code, url), '0 say Sorry'])
  })

  it('fails too: application error, and both are logged', async () => {
    const played = await withFallback({ documents: { [BASE]: 11205, [BACKUP]: 11202 } })
    expect(played.end).toMatchObject({ type: 'application-error', code: 11202 })
    expect(codes(played, 'error')).toEqual([11205, 11202])
  })

  it('fails after it was heard: not asked again', async () => {
    const documents = { [BASE]: 11205, [BACKUP]: '<Say>Sorry</Say><Play>a:b</Play>' } as const
    const played = await withFallback({ documents })
    expect(played.end).toMatchObject({ type: 'application-error', code: 11100 })
    expect(played.timeline.filter((line) => line.includes(BACKUP))).toHaveLength(1)
  })

  it('leads back to a failing document in silence: application error', async () => {
    const documents = { [BASE]: 11205, [BACKUP]: `<Redirect>${BASE}</Redirect>` } as const
    const played = await withFallback({ documents })
    expect(played.end).toMatchObject({ type: 'application-error', code: 11205 })
    expect(played.timeline).toHaveLength(3)
  })

  it('serves a later failure too once it has led on', async () => {
    const documents = { [BACKUP]: '<Say>S</Say><Redirect>http://app.example/voice</Redirect>' }
    const timeline = await timelineUntil(1500, '<Play>a:b</Play>', { documents }, BACKUP)
    expect(timeline.filter((line) => line.includes(`GET ${BACKUP}`))).toHaveLength(2)
  })
})

describe('failures that are no failures of the document', () => {
  it('text that cannot be spoken is a warning', async () => {
    const synthesise = ({ text }: { text: string }) =>
      text === '你好'
        ? Promise.reject(new SpeechTextError(13520, 'nothing to say'))
        : Promise.resolve({ type: 'file', path: `say ${text}` } as const)
    const played = await playBody('<Say loop="3">你好</Say><Say>B</Say>', { host: { synthesise } })
    expect(played.timeline).toEqual([FETCHED, '0 say B'])
    expect(codes(played, 'warning')).toEqual([13520])
  })

  it.each([
    ['the leg ended', new LegEndedError('gone')],
    ['a bug', new InvariantError('impossible')],
  ])('%s: the run rejects with it, fallback or not', async (_title, error) => {
    const scenario = {
      documents: { [BASE]: '<Say>A</Say>' },
      media: { play: () => Promise.reject(error) },
    }
    await expect(play(scenario, { fallback: BACKUP })).rejects.toBe(error)
  })
})

/** The fake call fails a test by itself when a subscription, a timer or a playing file is left. */
describe('aborted at any moment', () => {
  const BODY =
    '<Pause length="1"/><Say>A</Say><Play digits="12"/><Gather timeout="2"><Say loop="2">B</Say><Pause/></Gather><Play>3s.wav</Play><Redirect/>'
  it.each(Array.from({ length: 120 }, (_, i) => [i * 100 + 50]))('at %d ms', async (abortAt) => {
    const scenario = {
      abortAt,
      isUnanswered: true,
      keys: [
        [3500, '1'],
        [14_000, '2'],
      ],
    } as const
    await expect(playBody(BODY, scenario)).rejects.toBeInstanceOf(StopError)
  })

  it('whatever a host rejects with then', async () => {
    const host = {
      fetchDocument: (_request: unknown, signal: AbortSignal) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new FetchError(11200, BASE, 'socket closed'))
          })
        }),
    }
    await expect(play({ host, abortAt: 10 }, { fallback: BACKUP })).rejects.toBeInstanceOf(
      StopError,
    )
  })
})

it.each([
  ['waiting', '<Gather/>', 13238],
  ['waiting', '<Dial>+15551112222</Dial>', 13238],
  ['queued', '<Record/>', 13238],
] as const)('what is heard while %s may not hold %s', async (purpose, body, code) => {
  const { end } = await playBody(body, { host: { purpose } })
  expect(end).toMatchObject({ type: 'application-error', code })
})
