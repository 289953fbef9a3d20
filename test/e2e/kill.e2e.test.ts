import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { labPid } from '../support/lab-pid.js'
import { expectNothingLeft } from '../support/nothing-left.js'
import { reportRow } from '../support/rows.js'
import { freePort, type RunningSipp, startSipp } from '../support/sipp.js'
import { type RunningTrunkline, startTrunkline } from '../support/trunkline.js'
import { startVoiceApp, type VoiceApp } from '../support/voice-app.js'

const CALLS = 50
const POLL = { timeout: 30_000, interval: 50 }
const LIMIT_MS = 60_000

/** Calls to SIPp parties that answer and wait for a BYE, all in progress. */
async function callsTo(
  callee: RunningSipp,
  trunkline: RunningTrunkline,
  app: VoiceApp,
  count: number,
): Promise<readonly string[]> {
  const form = {
    To: `sip:party@127.0.0.1:${callee.port}`,
    From: '+15005550000',
    Markup: '<Response><Pause length="300"/></Response>',
    StatusCallback: `${app.url}/status`,
    StatusCallbackEvent: 'initiated ringing answered completed',
  }
  const made = Array.from({ length: count }, () => trunkline.createCall(form))
  const sids = (await Promise.all(made)).map(({ sid }) => sid)
  const answered = async () => {
    const answer = await trunkline.api('GET', '/Calls.json?Status=in-progress&PageSize=1000')
    return (answer.body['calls'] as unknown[]).length
  }
  await expect.poll(answered, POLL).toBe(count)
  return sids
}

/** `kill -9`, and the same server again: same folder, account and ports. */
async function killAndRestart(trunkline: RunningTrunkline): Promise<RunningTrunkline> {
  const exited = once(trunkline.server.process, 'exit')
  trunkline.server.process.kill('SIGKILL')
  await exited
  return startTrunkline({
    DATA_DIR: join(trunkline.folder, 'data'),
    SIP_PORT: String(trunkline.sipPort),
    FIRST_ACCOUNT_SID: trunkline.account.sid,
    FIRST_ACCOUNT_TOKEN: trunkline.account.secret,
  })
}

describe('[F42] a server that is killed with 50 live calls', () => {
  it(
    'ends them when it runs again: final rows, BYE to everybody, callbacks in order, nothing left',
    async ({ task }) => {
      await using app = await startVoiceApp()
      await using callee = await startSipp({ scenario: 'uas-answers-and-waits', calls: CALLS })
      await using trunkline = await startTrunkline({ SIP_PORT: String(await freePort()) })
      const sids = await callsTo(callee, trunkline, app, CALLS)
      await using again = await killAndRestart(trunkline)
      const startedAt = performance.now()
      const list = await again.api('GET', '/Calls.json?PageSize=1000')
      const calls = list.body['calls'] as readonly { status: string }[]
      expect(calls.map(({ status }) => status)).toEqual(Array(CALLS).fill('completed'))
      await callee.done // Every party got its BYE.
      const byeMs = Math.round(performance.now() - startedAt)
      for (const sid of sids) {
        const callbacks = await app.completed(sid)
        // At least once: whether one that was under way had arrived died with the process.
        const sequence = callbacks.map((params) => Number(params['SequenceNumber']))
        expect(sequence).toEqual(sequence.toSorted((a, b) => a - b))
        expect([...new Set(sequence)]).toEqual([0, 1, 2, 3])
      }
      await expectNothingLeft(again)
      reportRow(task, 'F42', { calls: CALLS, 'last BYE answered after restart ms': byeMs })
    },
    LIMIT_MS,
  )
})

describe('[F46] [F47] when both servers are killed', () => {
  it(
    'the far end of each call gets its BYE from the next ones',
    async () => {
      await using app = await startVoiceApp()
      await using callee = await startSipp({ scenario: 'uas-answers-and-waits', calls: 3 })
      await using trunkline = await startTrunkline()
      const sids = await callsTo(callee, trunkline, app, 3)
      process.kill(labPid(trunkline.server.process.pid ?? 0), 'SIGKILL')
      await callee.done
      for (const sid of sids) expect((await app.completed(sid)).length).toBeGreaterThan(0)
      await expectNothingLeft(trunkline)
    },
    LIMIT_MS,
  )
})
