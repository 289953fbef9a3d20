import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { commandLog } from '../support/process/command-log.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { IS_LAB } from '../support/process/real-servers.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { sipp } from '../support/sip/sipp.js'
import { USER_FIELDS, xml } from '../support/voice/user-fields.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

// Each test waits for calls, which run beside each other.
vi.setConfig({ maxConcurrency: 100 })

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
const TALK = '<Response><Dial timeLimit="2"><Number>+15005550002</Number></Dial></Response>'
const PAUSE = '<Response><Pause length="1"/></Response>'
const LONG_SPEECH = `<Response><Say>${'hello '.repeat(50)}</Say></Response>`

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

const form = (changes: Readonly<Record<string, string>>) => ({
  To: '+15005550002',
  From: '+15005550000',
  Markup: '<Response><Say>hello</Say></Response>',
  StatusCallback: `${app.url}/status`,
  Timeout: '10',
  ...changes,
})

/** What the server was told so far; each line is read once, for there are very many. */
const entries = commandLog(log)

/** What the adapter does for itself from time to time, whatever calls do. */
const UPKEEP = /^command (api show channels as json|api uuid_getvar UUID sip_h_X-esl-outbound) *$/
/**
 * A name of a command and ids, nothing of a user's: which of these a call needs depends on who hangs
 * up first (a fork is stopped only on a call that goes on), and on who waits in a queue when somebody
 * comes to serve it.
 */
const OURS_ALONE =
  /^command (event json|api (uuid_[a-z_]+|conference SID recording))( UUID| SID| [A-Z_]+| all| \d+| stop \S+\/recordings\/SID-\d+\.wav| stop (recording-silence|answering-machine))* *$/

/** The shapes of what the server was told from an entry of the log on. */
function shapesSince(entry: number): readonly string[] {
  const shapes = entries()
    .slice(entry)
    .map(({ shape }) => shape)
  const telling = shapes.filter((shape) => !UPKEEP.test(shape) && !OURS_ALONE.test(shape))
  return [...new Set(telling)].sort()
}

/** The shapes of what one call made the server do, when there is no other. */
async function commandsOf(call: () => Promise<unknown>): Promise<readonly string[]> {
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
    // Only the lab writes its commands down.
    if (!IS_LAB) return
    begun = entries().length
    // Others as well: a field may be refused, or may fail the call, with any text; a callee may hang
    // up in the middle of what is said; who waits may hear a pause; and two may talk.
    const others = [
      {},
      { To: '+15005550009', Markup: LONG_SPEECH },
      { Markup: PAUSE },
      { Markup: TALK },
    ]
    const fields = Object.values(USER_FIELDS).map((of) => of(HARMLESS, app.url))
    const forms = [...others, ...fields]
    await Promise.all(forms.map((fields) => place(fields)))
    await expectNothingLeft(trunkline)
    harmless = shapesSince(begun)
    expect(harmless.some((shape) => shape.includes('playback'))).toBe(true)
  }, 60_000)

  // Calls of other fields run beside it: the shape that fails tells which text it was.
  it.concurrent.each(
    Object.entries(USER_FIELDS),
  )('as %s makes no command [C21] [C22] [C23]', async (_name, of) => {
    const before = entries().length
    await Promise.all(Object.values(HOSTILE).map((text) => place(of(text, app.url))))
    expectTame(shapesSince(before), harmless)
  })

  it('leaves nothing behind, and made no command late', async () => {
    await expectNothingLeft(trunkline)
    expectTame(shapesSince(begun), harmless)
  })
})

const UNPLAYABLE = [
  'file_string:///etc/hostname',
  'shell_stream:///bin/true',
  'tone_stream://%(100,0,440)',
  'local_stream://moh',
  'say:hello',
  '/etc/hostname',
  '../../../../etc/hostname',
  'file:///etc/hostname',
  'http:/etc/hostname!/etc/passwd',
]

describe('what is to be played', () => {
  let shapes: readonly string[]
  beforeAll(async () => {
    // All at once: what is looked for names its own.
    const verbs = (url: string) => ({ Markup: `<Response><Play>${xml(url)}</Play></Response>` })
    const calls = () => Promise.all(UNPLAYABLE.map((url) => place(verbs(url))))
    shapes = await commandsOf(calls)
  }, 60_000)

  it.each(UNPLAYABLE)('%s does not reach the media server [C23]', (url) => {
    expect(readFileSync(log, 'utf8')).not.toContain(JSON.stringify(url).slice(1, -1))
  })

  it('is nothing but what Trunkline says itself [C23]', () => {
    // That the application is in error may be said; what it asked for is not played.
    const played = shapes.filter((shape) => shape.includes('playback'))
    const said = / playback \S+\/speech\/DIGEST\.wav /
    expect(played.filter((shape) => !said.test(shape))).toEqual([])
  })
})

describe('what becomes SIP [C24]', () => {
  const BREAKS = ['\r\nX-Forged: yes', '\nX-Forged: yes', '\0', '\u0085']
  const IN_SIP = ['CallReason', 'SipAuthUsername', 'SipAuthPassword', 'From', 'To']
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

  it.each([
    'CallerId',
    'Byoc',
    'CallToken',
  ])('%s has no effect, also with a line break', async (field) => {
    const peer = await SipPeer.open()
    const fields = { To: peer.uri('x'), [field]: `sip:x${BREAKS.join('')}@127.0.0.1` }
    const answer = await trunkline.api('POST', '/Calls.json', form(fields))
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    const call = await peer.nextCall(15_000)
    expect(JSON.stringify([call.invite.startLine, call.invite.headers])).not.toContain('orged')
    call.respond(486, 'Busy Here')
    await expectNothingLeft(trunkline)
    peer.close()
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
    const call = await peer.nextCall(15_000)
    expect(call.invite.headers.filter(([name]) => name.includes('forged'))).toEqual([])
    expect(call.invite.startLine).toContain('x%0d%0aX-Forged')
    call.respond(486, 'Busy Here')
    await expectNothingLeft(trunkline)
    peer.close()
  })
})

describe("a caller's display name", () => {
  const call = async (name: string) => {
    await sipp({
      scenario: 'uac-names-itself',
      target: `127.0.0.1:${trunkline.sipPort}`,
      service: '15551112222',
      keys: { caller_name: name },
    })
  }
  let harmless: readonly string[]
  beforeAll(async () => {
    app.page('/voice', '<Say>hello</Say><Pause length="10"/>')
    harmless = await commandsOf(() => call(HARMLESS))
  })
  it.concurrent.each([
    ['expansions [C22]', HOSTILE.expansions],
    ['pipes [C23]', HOSTILE.pipes],
    ['apostrophes [C23]', `it's ^^:a=b`],
  ])('with %s makes no command', async (_kind, name) => {
    expectTame(await commandsOf(() => call(name)), harmless)
  })
})
