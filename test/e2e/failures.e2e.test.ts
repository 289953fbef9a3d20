import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { pidsOf } from '../support/process/process-memory.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const call = (trunkline: RunningTrunkline, app: VoiceApp, markup: string) =>
  trunkline.createCall({
    To: '+15005550002',
    From: '+15005550000',
    Markup: `<Response>${markup}</Response>`,
    StatusCallback: `${app.url}/status`,
    StatusCallbackEvent: 'initiated ringing answered completed',
  })

async function inProgress(trunkline: RunningTrunkline, sid: string): Promise<void> {
  await expect
    .poll(async () => (await trunkline.fetchCall(sid)).status, { timeout: 20_000 })
    .toBe('in-progress')
}

/** How often REST answered 503 to a new call until the servers are back; never anything else but 201. */
async function refusedUntilReady(trunkline: RunningTrunkline): Promise<number> {
  const isReady = async () => (await fetch(`${trunkline.http}/readyz`)).status === 200
  const statuses: number[] = []
  await waitUntil('it is noticed', async () => !(await isReady()), 10_000)
  await waitUntil(
    'the servers are back',
    async () => {
      const form = { To: '+15005550005', From: '+15005550000', Markup: '<Response/>' }
      statuses.push((await trunkline.api('POST', '/Calls.json', form)).status)
      return isReady()
    },
    20_000,
  )
  expect(statuses.filter((status) => status !== 503 && status !== 201)).toEqual([])
  return statuses.filter((status) => status === 503).length
}

describe('when the telephone servers are killed', () => {
  it('live calls end with one final callback, REST says 503, and the next call works [F46] [F47]', async ({
    task,
  }) => {
    await using trunkline = await startTrunkline()
    await using app = await startVoiceApp()
    const { sid } = await call(trunkline, app, '<Pause length="60"/>')
    await inProgress(trunkline, sid)
    process.kill(pidsOf(trunkline).lab, 'SIGKILL')
    const killedAt = performance.now()
    const meanwhile = refusedUntilReady(trunkline)
    const ended = () => app.callbacks(sid).at(-1)?.['CallStatus']
    await expect.poll(ended).toBe('completed')
    const endedMs = Math.round(performance.now() - killedAt)
    expect(await trunkline.fetchCall(sid)).toMatchObject({ status: 'completed' })
    const refused = await meanwhile
    expect(refused).toBeGreaterThan(0)
    const readyAt = performance.now()
    const next = await call(trunkline, app, '<Say>Back again.</Say>')
    const callbacks = await app.completed(next.sid)
    const figures = {
      'call ended after the kill, ms': endedMs,
      'creations refused with 503 meanwhile': refused,
      'next call whole after the return, ms': Math.round(performance.now() - readyAt),
    }
    for (const row of ['F46', 'F47'] as const) reportRow(task, row, figures)
    expect(callbacks.map((params) => params['CallStatus'])).toEqual([
      'initiated',
      'ringing',
      'in-progress',
      'completed',
    ])
    expect(
      app.callbacks(sid).filter((params) => params['CallStatus'] === 'completed'),
    ).toHaveLength(1)
    await expectNothingLeft(trunkline)
  })
})

describe('when the server itself', () => {
  it('is told to end, its calls end and it exits 0', async () => {
    await using trunkline = await startTrunkline()
    await using app = await startVoiceApp()
    const { sid } = await call(trunkline, app, '<Pause length="60"/>')
    await inProgress(trunkline, sid)
    const exited = once(trunkline.server.process, 'exit')
    trunkline.server.process.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  })

  it('is killed, the next start ends the calls that it left', async () => {
    await using trunkline = await startTrunkline()
    await using app = await startVoiceApp()
    const { sid } = await call(trunkline, app, '<Pause length="60"/>')
    await inProgress(trunkline, sid)
    const exited = once(trunkline.server.process, 'exit')
    trunkline.server.process.kill('SIGKILL')
    await exited
    await using again = await startTrunkline({
      DATA_DIR: `${trunkline.folder}/data`,
      FIRST_ACCOUNT_SID: trunkline.account.sid,
      FIRST_ACCOUNT_TOKEN: trunkline.account.secret,
    })
    const callbacks = await app.completed(sid)
    // At least once: whether one that was under way had arrived died with the process.
    const sequence = callbacks.map((params) => Number(params['SequenceNumber']))
    expect([...new Set(sequence)]).toEqual([0, 1, 2, 3])
    expect(sequence).toEqual(sequence.toSorted((a, b) => a - b))
    expect(callbacks.at(-1)).toMatchObject({ CallStatus: 'completed' })
    expect(await again.fetchCall(sid)).toMatchObject({ status: 'completed' })
  })
})
