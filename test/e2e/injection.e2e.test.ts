import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/nothing-left.js'
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
  ...changes,
})

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

/** The shapes of what one call made the server do. */
async function commandsOf(call: () => Promise<void>): Promise<readonly string[]> {
  const before = entries().length
  await call()
  await expectNothingLeft(trunkline)
  const shapes = entries().slice(before).map(shapeOf)
  return [...new Set(shapes.filter((shape) => !UPKEEP.test(shape)))].sort()
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

describe.each(Object.entries(FIELDS))('%s', (_name, fieldsOf) => {
  let harmless: readonly string[]
  beforeAll(async () => {
    // The plain call as well: a field may be refused, or may fail the call, with any text.
    const plain = await commandsOf(() => place({}))
    harmless = [...plain, ...(await commandsOf(() => place(fieldsOf(HARMLESS))))]
    expect(plain.some((shape) => shape.includes('playback'))).toBe(true)
  })

  it.concurrent.each(Object.entries(HOSTILE))('with %s makes no command', async (_kind, text) => {
    expectTame(await commandsOf(() => place(fieldsOf(text))), harmless)
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
    ['expansions', HOSTILE.expansions],
    ['pipes', HOSTILE.pipes],
    ['apostrophes', `it's ^^:a=b`],
  ])('with %s makes no command', async (_kind, name) => {
    const harmless = await commandsOf(call(HARMLESS))
    expectTame(await commandsOf(call(name)), harmless)
  })
})
