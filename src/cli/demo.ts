/**
 * `npm run demo`: places one real call that a person can follow. It starts the server on free ports, a voice
 * application, and the lab's phone 0004. The application asks for two digits and the phone presses them. Then a
 * message to the phone 0001 follows, which replies. The exit code is 0 only if every step was observed.
 */
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Disposer } from '../platform/disposer.js'
import { type DemoApp, startDemoApp } from './demo/demo-app.js'
import {
  type DemoMessage,
  exchangeMessage,
  isAnswered,
  MESSAGE_PHONE,
} from './demo/demo-message.js'
import { openDemoServers } from './demo/demo-servers.js'
import { startServer } from './server-child.js'
import { type CallEvent, subscribe } from './trunkline/servers/call-events.js'
import { timelineLine } from './trunkline/timeline/timeline-line.js'

/** The phone that answers, and presses 4, then 2, after the prompt falls silent. */
const PHONE = '+15005550004'
const CALLER = '+15005550000'
const LIMIT_MS = 18_000
const MESSAGE_LIMIT_MS = 8_000
const OUTPUT = resolve('demo-output')

const HELP = `npm run demo

Starts a server on free ports and a voice application, calls one of the lab's phones, sends a message
to another, and prints each step as it is seen. The recording of the call is kept in demo-output/.
The call runs on the drachtio and the FreeSWITCH of this machine that DRACHTIO_URL and FREESWITCH_URL
name; on the lab when neither is set.

  --help   this text

Exit code: 0 when every step was seen, 1 otherwise, 2 for wrong usage.`

/** A recording from the lab: 8 kHz, 16 bit. */
interface Heard {
  readonly file: string
  readonly seconds: number
  /** Duration of the non-silent parts, seconds. */
  readonly speechSeconds: number
}

const RATE = 8_000
const FRAME = 160
/** Speech threshold, about −40 dB of full scale: above line noise, below any speech. */
const SPEECH_RMS = 300

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

async function demo(): Promise<boolean> {
  await using disposer = new Disposer()
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-demo-'))
  disposer.defer(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const account = { sid: `AC${hex(16)}`, secret: hex(16) }
  const adminToken = hex(16)
  const recordings = join(folder, 'recordings')
  mkdirSync(recordings)
  const app = disposer.use(await startDemoApp(account.secret))
  const servers = disposer.use(await openDemoServers(process.env, recordings))
  const server = disposer.use(
    await startServer({
      HTTP_PORT: '0',
      ADMIN_PORT: '0',
      SIP_PORT: '0',
      ADMIN_TOKEN: adminToken,
      DATA_DIR: join(folder, 'data'),
      FIRST_ACCOUNT_SID: account.sid,
      FIRST_ACCOUNT_TOKEN: account.secret,
      LOG_LEVEL: 'warn',
      DRAIN_SECONDS: '0',
      ...servers.settings,
    }),
  )
  const { http, admin, sip } = server.listening
  await servers.connectPhones({ admin, adminToken })
  say(`server  ${http} (voice API)  ${sip ?? 'drachtio and FreeSWITCH'} (SIP)`)
  say(`app     ${app.url}/voice`)
  say(`phone   ${PHONE}, a lab phone that presses 4, then 2\n`)

  const signal = AbortSignal.timeout(LIMIT_MS)
  const events = await subscribe(admin, adminToken, signal)
  say(`POST ${http}/2010-04-01/Accounts/${account.sid}/Calls`)
  const startedAt = Date.now()
  const sid = await placeCall(http, account, app.url)
  const seen = await watch(events, startedAt)
  const call = await fetchCall(http, account, sid)
  const heard = keepRecording(recordings)
  say('')
  const message = await exchangeMessage(
    { http, admin, adminToken, account },
    AbortSignal.timeout(MESSAGE_LIMIT_MS),
    say,
  )
  return summarise({ app, call, seen, heard, message, seconds: (Date.now() - startedAt) / 1_000 })
}

async function placeCall(http: string, account: Credentials, appUrl: string): Promise<string> {
  const form = new URLSearchParams({
    To: PHONE,
    From: CALLER,
    Url: `${appUrl}/voice`,
    StatusCallback: `${appUrl}/status`,
    StatusCallbackEvent: 'initiated ringing answered completed',
  })
  const answer = await fetch(callsUrl(http, account), {
    method: 'POST',
    headers: headersOf(account),
    body: form,
  })
  const body = (await answer.json()) as { sid?: string; message?: string }
  if (body.sid === undefined)
    throw new Error(`the call was refused: ${body.message ?? String(answer.status)}`)
  return body.sid
}

/** Prints each event. Resolves with the events once the last callback was delivered, or at the time limit. */
async function watch(events: AsyncGenerator<CallEvent>, startedAt: number): Promise<CallEvent[]> {
  const seen: CallEvent[] = []
  try {
    for await (const event of events) {
      seen.push(event)
      say(timelineLine(event, { startedAt, isColoured: process.stdout.isTTY }))
      if (event.kind === 'callback' && event.detail['callStatus'] === 'completed') break
    }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error
    say(`\nnothing more within ${LIMIT_MS / 1_000} s`)
  }
  return seen
}

interface Credentials {
  readonly sid: string
  readonly secret: string
}

const callsUrl = (http: string, account: Credentials) =>
  `${http}/2010-04-01/Accounts/${account.sid}/Calls`
const headersOf = (account: Credentials) => ({
  authorization: `Basic ${Buffer.from(`${account.sid}:${account.secret}`).toString('base64')}`,
})

async function fetchCall(
  http: string,
  account: Credentials,
  sid: string,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${callsUrl(http, account)}/${sid}.json`, {
    headers: headersOf(account),
  })
  return (await answer.json()) as Record<string, unknown>
}

/** Copies the phone's recording to the project folder for listening. */
function keepRecording(folder: string): Heard | undefined {
  const file = readdirSync(folder).find((name) => name.endsWith('.wav'))
  if (file === undefined) return undefined
  mkdirSync(OUTPUT, { recursive: true })
  const kept = join(OUTPUT, 'heard-by-callee.wav')
  copyFileSync(join(folder, file), kept)
  return readHeard(kept)
}

function readHeard(file: string): Heard {
  const bytes = readFileSync(file)
  const channels = bytes.readUInt16LE(22)
  const data = bytes.subarray(bytes.indexOf('data') + 8)
  const samples = Math.floor(data.length / 2)
  const frame = FRAME * channels
  let loud = 0
  for (let start = 0; start + frame <= samples; start += frame) {
    let energy = 0
    for (let index = start; index < start + frame; index++)
      energy += data.readInt16LE(index * 2) ** 2
    if (Math.sqrt(energy / frame) > SPEECH_RMS) loud += 1
  }
  return { file, seconds: samples / channels / RATE, speechSeconds: (loud * FRAME) / RATE }
}

interface Outcome {
  readonly app: DemoApp
  readonly call: Readonly<Record<string, unknown>>
  readonly seen: readonly CallEvent[]
  readonly heard: Heard | undefined
  readonly message: DemoMessage
  readonly seconds: number
}

function summarise({ app, call, seen, heard, message, seconds }: Outcome): boolean {
  const has = (kind: string, name: string, value: string) =>
    seen.some((event) => event.kind === kind && String(event.detail[name]).startsWith(value))
  const order = app.callbacks.map((form) => form['CallStatus']).join(' → ')
  const checks: readonly (readonly [string, boolean])[] = [
    [
      'an INVITE went out and 200 OK came back',
      has('sip', 'message', 'INVITE') && has('sip', 'message', '200'),
    ],
    ['the application was asked for markup', has('webhook', 'url', `${app.url}/voice`)],
    ['it spoke and gathered', has('verb', 'verb', 'Say') && has('verb', 'verb', 'Gather')],
    [`the phone's digits reached the application (${app.digits ?? 'none'})`, app.digits === '42'],
    ['the application found every webhook signed with the account’s token', app.isAllSigned],
    [
      `status callbacks in order (${order})`,
      order === 'initiated → ringing → in-progress → completed',
    ],
    [
      `the call is over (${String(call['status'])}, ${String(call['duration'])} s)`,
      call['status'] === 'completed',
    ],
    [
      `the callee heard ${heard?.speechSeconds.toFixed(1) ?? '0'} s of speech`,
      (heard?.speechSeconds ?? 0) > 2,
    ],
    [
      `a message reached ${MESSAGE_PHONE} (${message.status}), and its answer came back`,
      isAnswered(message),
    ],
  ]
  say('')
  for (const [text, isTrue] of checks) say(`${isTrue ? '✓' : '✗'} ${text}`)
  if (heard !== undefined) say(`\nlisten: ${heard.file} (${heard.seconds.toFixed(1)} s)`)
  const isGood = checks.every(([, isTrue]) => isTrue)
  say(isGood ? `\nA whole call in ${seconds.toFixed(1)} s.` : '\nNot everything was seen.')
  return isGood
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Parses the command line; on an error, prints a message and returns undefined. */
function readArguments(): { readonly help: boolean } | undefined {
  try {
    return parseArgs({ options: { help: { type: 'boolean', default: false } } }).values
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}\n`)
    return undefined
  }
}

try {
  const wanted = readArguments()
  if (wanted === undefined) process.exitCode = 2
  else if (wanted.help) say(HELP)
  else process.exitCode = (await demo()) ? 0 : 1
} catch (error) {
  process.stderr.write(
    `the demo failed: ${error instanceof Error ? error.message : String(error)}\n`,
  )
  process.exitCode = 1
}
