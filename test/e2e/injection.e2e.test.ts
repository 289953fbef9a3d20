import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/nothing-left.js'
import { SipPeer } from '../support/sip-peer.js'
import { sipp } from '../support/sipp.js'
import { tempFolder } from '../support/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/trunkline.js'
import { startVoiceApp, type VoiceApp } from '../support/voice-app.js'

/** Text of users never becomes a command: the server's own log of what it was told is the oracle. */
const folder = tempFolder()
const log = join(folder.path, 'commands.log')
const trap = join(folder.path, 'x')
const HOSTILE = {
  newlines: `hello\n\nbgapi system touch ${trap}\n\n`,
  'carriage returns': `hello\r\n\r\napi system touch ${trap}\r\n\r\n`,
  expansions: `hello \${system(touch ${trap})} \$\${base_dir} \${system touch ${trap}}`,
  quotes: `hello ' " \\' \\" ^^:a=b`,
  pipes: `hello | touch ${trap} ; touch ${trap} && touch ${trap}`,
} as const
const HARMLESS = 'hello'

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline({ LAB_COMMAND_LOG: log })
  app = await startVoiceApp()
  await trunkline.assignNumber('+15551112222', {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const xml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const form = (changes: Readonly<Record<string, string>>) => ({
  To: '+15005550002',
  From: '+15005550000',
  Markup: '<Response><Say>hello</Say></Response>',
  StatusCallback: `${app.url}/status`,
  Timeout: '10',
  ...changes,
})

const dial = (attributes: string, nouns: string) =>
  `<Response><Dial timeout="5" ${attributes}>${nouns}</Dial></Response>`

/** Where a user's text enters, as the form of a call. */
const FIELDS: Readonly<Record<string, (text: string) => Readonly<Record<string, string>>>> = {
  'what is said': (text) => ({ Markup: `<Response><Say>${xml(text)}</Say></Response>` }),
  'a Play URL': (text) => ({
    Markup: `<Response><Play>${xml(`${app.url}/tone.wav?x=${text}`)}</Play></Response>`,
  }),
  'Play digits': (text) => ({ Markup: `<Response><Play digits="${xml(text)}"/></Response>` }),
  SendDigits: (text) => ({ SendDigits: text }),
  CallReason: (text) => ({ CallReason: text }),
  'the user of To': (text) => ({ To: `sip:${text}@127.0.0.1:9` }),
  'a parameter of To': (text) => ({ To: `sip:x@127.0.0.1:9;y=${text}` }),
  From: (text) => ({ From: text }),
  'the user of From': (text) => ({ From: `sip:${text}@127.0.0.1` }),
  CallerId: (text) => ({ CallerId: text }),
  CallToken: (text) => ({ CallToken: text }),
  'a voice': (text) => ({ Markup: `<Response><Say voice="${xml(text)}">hello</Say></Response>` }),
  'what ends a Gather': (text) => ({
    Markup: `<Response><Gather timeout="1" finishOnKey="${xml(text)}"><Say>hello</Say></Gather></Response>`,
  }),
  'hints of a Gather': (text) => ({
    Markup: `<Response><Gather timeout="1" hints="${xml(text)}"><Say>hello</Say></Gather></Response>`,
  }),
  'where to go on': (text) => ({
    Markup: `<Response><Say>hello</Say><Redirect>${xml(`${app.url}/next?x=${text}`)}</Redirect></Response>`,
  }),
  "Dial's callerId": (text) => ({
    Markup: dial(`callerId="${xml(text)}"`, '<Number>+15005550005</Number>'),
  }),
  "Dial's ringTone": (text) => ({
    Markup: dial(`ringTone="${xml(text)}"`, '<Number>+15005550005</Number>'),
  }),
  "Dial's callReason": (text) => ({
    Markup: dial(`callReason="${xml(text)}"`, '<Number>+15005550005</Number>'),
  }),
  "Dial's action": (text) => ({
    Markup: dial(`action="${xml(`${app.url}/next?x=${text}`)}"`, '<Number>+15005550005</Number>'),
  }),
  'what Dial dials': (text) => ({ Markup: dial('', xml(text)) }),
  'a Number': (text) => ({ Markup: dial('', `<Number>${xml(text)}</Number>`) }),
  "a Number's sendDigits": (text) => ({
    Markup: dial('', `<Number sendDigits="${xml(text)}">+15005550005</Number>`),
  }),
  'the user of a Sip': (text) => ({
    Markup: dial('', `<Sip>sip:${xml(text)}@127.0.0.1:9</Sip>`),
  }),
  'a parameter of a Sip': (text) => ({
    Markup: dial('', `<Sip>sip:x@127.0.0.1:9;y=${xml(text)}</Sip>`),
  }),
  'a header of a Sip': (text) => ({
    Markup: dial('', `<Sip>sip:x@127.0.0.1:9?X-Account=${xml(text)}</Sip>`),
  }),
  "a header's name of a Sip": (text) => ({
    Markup: dial('', `<Sip>sip:x@127.0.0.1:9?X-${xml(text)}=y</Sip>`),
  }),
  "a Sip's username": (text) => ({
    Markup: dial('', `<Sip username="${xml(text)}" password="x">sip:x@127.0.0.1:9</Sip>`),
  }),
  "a Sip's password": (text) => ({
    Markup: dial('', `<Sip username="x" password="${xml(text)}">sip:x@127.0.0.1:9</Sip>`),
  }),
  SipAuthUsername: (text) => ({ SipAuthUsername: text, SipAuthPassword: 'x' }),
  SipAuthPassword: (text) => ({ SipAuthUsername: 'x', SipAuthPassword: text }),
}

interface LogEntry {
  readonly kind: string
  readonly line?: string
  readonly outcome?: string
  readonly headers?: Readonly<Record<string, string>>
}

const entries = () =>
  existsSync(log)
    ? readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as LogEntry)
    : []

/** What the adapter does for itself from time to time, whatever calls do. */
const UPKEEP = /^command (api show channels as json|api uuid_getvar UUID sip_h_X-esl-outbound) *$/

/** A command without what differs from call to call; one quoted value is still one value. */
function shapeOf({ kind, line = '', headers = {} }: LogEntry): string {
  const app = headers['execute-app-name']
  const text = [kind, line, app, headers['execute-app-arg'], headers['call-command']].join(' ')
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/[0-9a-f]{64}/g, 'DIGEST')
    .replaceAll(/CA[0-9a-f]{32}/g, 'SID')
    .replace(
      /(?<=^command api uuid_setvar UUID call_reason )(?:hello|'(?:[^'\\]|\\.)*') *$/,
      'VALUE',
    )
}

/** The shapes of what the server was told from an entry of the log on. */
function shapesSince(entry: number): readonly string[] {
  const shapes = entries().slice(entry).map(shapeOf)
  return [...new Set(shapes.filter((shape) => !UPKEEP.test(shape)))].sort()
}

/** The shapes of what one call made the server do, when there is no other. */
async function commandsOf(call: () => Promise<void>): Promise<readonly string[]> {
  const before = entries().length
  await call()
  await expectNothingLeft(trunkline)
  return shapesSince(before)
}

async function place(fields: Readonly<Record<string, string>>): Promise<void> {
  const answer = await trunkline.api('POST', '/Calls.json', form(fields))
  if (answer.status === 400) return // Refused at the door: as good.
  expect(answer.status).toBe(201)
  await app.completed(String(answer.body['sid']))
}

/** Every command of the hostile call has the shape of one of a harmless call, and nothing was run. */
function expectTame(hostile: readonly string[], harmless: readonly string[]): void {
  expect(hostile.filter((shape) => !harmless.includes(shape))).toEqual([])
  expect(entries().filter(({ outcome }) => outcome !== undefined)).toEqual([])
  expect(existsSync(trap)).toBe(false)
}

describe('hostile text', () => {
  let harmless: readonly string[]
  let begun: number
  beforeAll(async () => {
    begun = entries().length
    // A plain call as well: a field may be refused, or may fail the call, with any text.
    const forms = [{}, ...Object.values(FIELDS).map((fieldsOf) => fieldsOf(HARMLESS))]
    await Promise.all(forms.map((fields) => place(fields)))
    await expectNothingLeft(trunkline)
    harmless = shapesSince(begun)
    expect(harmless.some((shape) => shape.includes('playback'))).toBe(true)
  }, 60_000)

  // Calls of other fields run beside it: the shape that fails tells which text it was.
  it.concurrent.each(
    Object.entries(FIELDS),
  )('as %s makes no command [C21] [C22] [C23]', async (_name, of) => {
    const before = entries().length
    await Promise.all(Object.values(HOSTILE).map((text) => place(of(text))))
    expectTame(shapesSince(before), harmless)
  })

  it('leaves nothing behind, and made no command late', async () => {
    await expectNothingLeft(trunkline)
    expectTame(shapesSince(begun), harmless)
  })
})

describe('what is to be played', () => {
  it.concurrent.each([
    'file_string:///etc/hostname',
    'shell_stream:///bin/true',
    'tone_stream://%(100,0,440)',
    'local_stream://moh',
    'say:hello',
    '/etc/hostname',
    '../../../../etc/hostname',
    'file:///etc/hostname',
    'http:/etc/hostname!/etc/passwd',
  ])('%s does not reach the media server [C23]', async (url) => {
    const shapes = await commandsOf(() =>
      place({ Markup: `<Response><Play>${xml(url)}</Play></Response>` }),
    )
    // That the application is in error may be said; what it asked for is not played.
    const played = shapes.filter((shape) => shape.includes('playback'))
    const said = / playback \S+\/speech\/DIGEST\.wav /
    expect(played.filter((shape) => !said.test(shape))).toEqual([])
    expect(JSON.stringify(entries())).not.toContain(url)
  })
})

describe('what becomes SIP [C24]', () => {
  const BREAKS = ['\r\nX-Forged: yes', '\nX-Forged: yes', '\0', '\u0085']
  const IN_SIP = ['CallReason', 'CallerId', 'SipAuthUsername', 'SipAuthPassword', 'From', 'To']
  it.each(IN_SIP)('%s with a line break is refused', async (field) => {
    for (const text of BREAKS) {
      const fields = {
        SipAuthUsername: 'x',
        SipAuthPassword: 'x',
        [field]: `sip:x${text}@127.0.0.1`,
      }
      const answer = await trunkline.api('POST', '/Calls.json', form(fields))
      expect([text, answer.status]).toEqual([text, 400])
    }
  })

  it.each<[string, Readonly<Record<string, string>>]>([
    ['an angle bracket in To', { To: 'sip:x>;tag=1@127.0.0.1' }],
    ['an angle bracket in From', { From: 'sip:x@127.0.0.1>,<sip:y@z' }],
    ['a quote in SipAuthUsername', { SipAuthUsername: 'x", uri="sip:y' }],
  ])('%s is refused', async (_title, fields) => {
    const answer = await trunkline.api(
      'POST',
      '/Calls.json',
      form({ SipAuthPassword: 'x', ...fields }),
    )
    expect(answer.status).toBe(400)
  })

  it('percent-coded breaks, brackets and quotes add no header on the wire', async () => {
    const peer = await SipPeer.open()
    const fields = {
      To: peer.uri('x%0d%0aX-Forged%3a%20yes'),
      CallReason: '<sip:y>; "z" X-Forged: 3',
      From: 'sip:caller@127.0.0.1',
    }
    const answer = await trunkline.api('POST', '/Calls.json', form(fields))
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    const [call = await peer.nextCall(15_000)] = peer.calls
    expect(call.invite.headers.filter(([name]) => name.includes('forged'))).toEqual([])
    expect(call.invite.startLine).toContain('x%0d%0aX-Forged')
    call.respond(486, 'Busy Here')
    await expectNothingLeft(trunkline)
    peer.close()
  })
})

describe("a caller's display name", () => {
  const call = (name: string) => async () => {
    app.page('/voice', '<Say>hello</Say><Pause length="10"/>')
    await sipp({
      scenario: 'uac-names-itself',
      target: `127.0.0.1:${trunkline.sipPort}`,
      service: '15551112222',
      keys: { caller_name: name },
    })
  }
  it.each([
    ['expansions [C22]', HOSTILE.expansions],
    ['pipes [C23]', HOSTILE.pipes],
    ['apostrophes [C23]', `it's ^^:a=b`],
  ])('with %s makes no command', async (_kind, name) => {
    const harmless = await commandsOf(call(HARMLESS))
    expectTame(await commandsOf(call(name)), harmless)
  })
})
