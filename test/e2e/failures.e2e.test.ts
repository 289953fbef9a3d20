import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/nothing-left.js'
import { pidsOf } from '../support/process-memory.js'
import { type RunningTrunkline, startTrunkline } from '../support/trunkline.js'
import { startVoiceApp, type VoiceApp } from '../support/voice-app.js'

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
    .poll(async () => (await trunkline.fetchCall(sid)).status, { timeout: 15_000 })
    .toBe('in-progress')
}

describe('when the telephone servers are killed', () => {
  it('live calls end with one final callback, and the next call works', async () => {
    await using trunkline = await startTrunkline()
    await using app = await startVoiceApp()
    const { sid } = await call(trunkline, app, '<Pause length="60"/>')
    await inProgress(trunkline, sid)
    process.kill(pidsOf(trunkline).lab, 'SIGKILL')
    const ended = () => app.callbacks(sid).at(-1)?.['CallStatus']
    await expect.poll(ended, { timeout: 5_000 }).toBe('completed')
    expect(await trunkline.fetchCall(sid)).toMatchObject({ status: 'completed' })
    await expect
      .poll(async () => (await fetch(`${trunkline.http}/readyz`)).status, { timeout: 20_000 })
      .toBe(200)
    const next = await call(trunkline, app, '<Say>Back again.</Say>')
    const callbacks = await app.completed(next.sid)
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
