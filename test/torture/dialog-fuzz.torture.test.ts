import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest'
import { reportingMemory } from '../support/process/collected-memory.js'
import { idleMemory } from '../support/process/idle-memory.js'
import { errorsIn, pidsOf } from '../support/process/process-memory.js'
import { IS_LAB } from '../support/process/real-servers.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import {
  acknowledgement,
  type FuzzedDialog,
  fuzzedMessage,
  properRequest,
  SEQUENCE_STEP,
} from '../support/sip/dialog-fuzz.js'
import { seededRandom } from '../support/sip/sip-fuzz.js'
import type { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf, type PeerMessage, uriOf } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'
import {
  expectEndedOnce,
  expectTalking,
  startTalkers,
  type Talker,
} from '../support/voice/talkers.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const SEED = Number(process.env['SIP_FUZZ_SEED'] ?? 20_261_129)
const MESSAGES = Number(process.env['DIALOG_FUZZ_MESSAGES'] ?? 1_000_000)
const CALLS = 10
/** After so many messages a dialog is asked whether it is there: the series goes as fast as it is taken. */
const BURST = 25
const GROWTH_MB = 20
/** A proper request without an answer is sent again after T1 (RFC 3261 §17.1.2.2). */
const AGAIN_MS = 500
const POLL = { timeout: 30_000, interval: 500 }
const LIMIT_MS = 2 * 3_600_000

const reports = tempFolder()
let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  // Without a limit, so that every message reaches what lies behind it.
  trunkline = await startTrunkline({
    SIP_SOURCE_RATE: '1000000',
    LOG_LEVEL: 'error',
    ...reportingMemory(reports.path),
  })
  app = await startVoiceApp()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
  reports[Symbol.dispose]()
})

/** One call with what has been sent in its dialog. */
interface Fuzzed {
  readonly dialog: FuzzedDialog
  readonly peer: SipPeer
  sequence: number
}

function dialogOf({ peer, call }: Talker, answer: PeerMessage): FuzzedDialog {
  return {
    callId: call.callId,
    local: headerOf(answer, 'from'),
    remote: headerOf(answer, 'to'),
    target: uriOf(headerOf(answer, 'contact')),
    address: `${peer.host}:${String(peer.port)}`,
    sdp: peer.sdp(),
  }
}

/** Sends a proper request, again where it is lost, and resolves with its final response. */
async function ask(fuzzed: Fuzzed, method: 'INVITE' | 'OPTIONS' | 'BYE'): Promise<number> {
  fuzzed.sequence += SEQUENCE_STEP
  const { dialog, peer, sequence } = fuzzed
  const text = properRequest(dialog, method, sequence)
  const final = () =>
    peer.log.find(
      (message) =>
        (message.status ?? 0) >= 200 &&
        headerOf(message, 'cseq') === `${String(sequence)} ${method}`,
    )?.status
  let sentAt = Number.NEGATIVE_INFINITY
  const isAnswered = () => {
    const now = performance.now()
    if (now - sentAt >= AGAIN_MS) {
      peer.send(text, trunkline.sipPort)
      sentAt = now
    }
    return final() !== undefined
  }
  await waitUntil(
    `${method} ${String(sequence)} is answered`,
    isAnswered,
    30_000,
    () => peer.seen(),
    2,
  )
  return final() ?? Number.NaN
}

/** drachtio answers the next INVITE 500 until the one before has its ACK (RFC 3261 §14.2). */
const isAnsweredInvite = (message: PeerMessage): boolean =>
  (message.status ?? 0) >= (IS_LAB ? 300 : 200) && headerOf(message, 'cseq').endsWith('INVITE')

function acknowledge({ dialog, peer }: Fuzzed): void {
  for (const answer of peer.log.filter(isAnsweredInvite))
    peer.send(acknowledgement(dialog, answer), trunkline.sipPort)
}

async function fuzz(fuzzed: Fuzzed, call: Talker['call'], messages: number, seed: number) {
  const random = seededRandom(seed)
  const gone: number[] = []
  for (let sent = 0; sent < messages; sent += BURST) {
    for (let one = 0; one < BURST; one += 1) {
      fuzzed.sequence += SEQUENCE_STEP
      const message = fuzzedMessage(fuzzed.dialog, fuzzed.sequence, random)
      // drachtio ends a call with a BYE at a CANCEL after its 200.
      if (IS_LAB || !message.includes('CANCEL')) fuzzed.peer.send(message, trunkline.sipPort)
    }
    const status = await ask(fuzzed, 'OPTIONS')
    // What has no room for a transaction says 503: the dialog may be there.
    if (status !== 200 && status !== 503) gone.push(status)
    acknowledge(fuzzed)
    fuzzed.peer.log.length = 0
    call.log.length = 0
  }
  return gone
}

/** So many calls, so many messages in their dialogs; resolves with the answers that say that one is gone. */
async function round(messages: number, seed: number): Promise<readonly number[]> {
  const talkers = await startTalkers(trunkline, app, CALLS)
  const fuzzed = await Promise.all(
    talkers.map(async (talker): Promise<Fuzzed> => {
      const answer = await talker.call.response(200)
      return { dialog: dialogOf(talker, answer), peer: talker.peer, sequence: 10 }
    }),
  )
  const gone = await Promise.all(
    talkers.map(({ call }, at) => {
      const one = fuzzed[at]
      if (one === undefined) throw new Error('unreachable')
      return fuzz(one, call, messages / CALLS, seed + at)
    }),
  )
  // Whatever direction the last description had, a proper one brings the sound back: as soon as the one
  // before it is answered (RFC 3261 §14.2).
  for (const one of fuzzed)
    await expect
      .poll(() => {
        acknowledge(one)
        return ask(one, 'INVITE')
      }, POLL)
      .toBe(200)
  await expectTalking(talkers)
  for (const one of fuzzed) expect(await ask(one, 'BYE')).toBe(200)
  await expectEndedOnce(trunkline, app, talkers)
  for (const talker of talkers) talker[Symbol.dispose]()
  return gone.flat()
}

/** A bounded part for real servers, whose memory is their own. */
async function onRealServers(): Promise<void> {
  expect(await round(MESSAGES, SEED)).toEqual([])
  expect(errorsIn(trunkline)).toEqual([])
}

async function onTheLab({ task }: TestContext): Promise<void> {
  const pids = pidsOf(trunkline)
  // What is compiled and cached once is no growth.
  await round(10_000, SEED)
  const before = await idleMemory(trunkline, reports.path)
  const startedAt = performance.now()
  const gone = await round(MESSAGES, SEED + CALLS)
  const seconds = (performance.now() - startedAt) / 1_000
  const after = await idleMemory(trunkline, reports.path)
  const shown = (name: 'server' | 'lab', kind: 'heap' | 'outside') =>
    `${before[name][kind]} → ${after[name][kind]}`
  reportRow(task, 'fuzz', {
    messages: MESSAGES,
    'messages a second': Math.round(MESSAGES / seconds),
    'dialogs that were not gone when they were asked': `${MESSAGES / BURST - gone.length} of ${MESSAGES / BURST}`,
    'server heap MB': shown('server', 'heap'),
    'server outside heap MB': shown('server', 'outside'),
    'lab heap MB': shown('lab', 'heap'),
    'lab outside heap MB': shown('lab', 'outside'),
    seed: SEED,
  })
  expect(gone).toEqual([])
  expect(pidsOf(trunkline)).toEqual(pids)
  expect(errorsIn(trunkline)).toEqual([])
  for (const name of ['lab', 'server'] as const) {
    const held = (reading: typeof before) => reading[name].heap + reading[name].outside
    expect(held(after) - held(before), name).toBeLessThan(GROWTH_MB)
  }
}

if (IS_LAB)
  it('a million messages inside dialogs end no call and leave nothing [fuzz]', onTheLab, LIMIT_MS)
else it('messages inside dialogs end no call of real servers', onRealServers, LIMIT_MS)
