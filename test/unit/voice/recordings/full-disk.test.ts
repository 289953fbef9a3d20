import { readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import type { RecordingRecord } from '../../../../src/voice/recordings/recording-record.js'
import { toneWav } from '../../../support/sound/wav-bytes.js'
import { setUpRecordingsApi } from '../../../support/voice/recordings-api.js'

const POLL = { timeout: 10_000, interval: 20 }
const DAY_MS = 24 * 3_600_000
const CALLBACK = {
  url: 'http://app.test/recording',
  method: 'POST',
  events: ['completed', 'absent'],
}

type Server = Awaited<ReturnType<typeof setUpRecordingsApi>>

/**
 * A recording of two parts that a former process left. The next file that is made of them has no
 * space: it is written to a device that is always full.
 */
async function leaveTwoParts(t: Server, rest: Partial<RecordingRecord> = {}) {
  const callback = CALLBACK as NonNullable<RecordingRecord['callback']>
  const record = await t.add(
    {
      status: 'processing',
      durationMs: undefined,
      updatedAt: systemClock.now(),
      callback,
      ...rest,
    },
    [],
  )
  for (const index of [0, 1])
    writeFileSync(join(t.recordingsFolder, `${record.sid}-${index}.wav`), toneWav(440, 1))
  symlinkSync('/dev/full', join(t.recordingsFolder, `${record.sid}.wav.tmp`))
  return record
}

const stored = (t: Server, sid: string) => t.recordings.fetch(t.account.sid, sid)
const told = (t: Server) => t.callbacks.map(({ params }) => Object.fromEntries(params))
const filesOf = (t: Server, sid: string) =>
  readdirSync(t.recordingsFolder)
    .filter((name) => name.startsWith(sid))
    .sort()

describe('a recording of several parts whose disk is full', () => {
  it('waits with its parts, and is complete once there is space', async () => {
    await using t = await setUpRecordingsApi()
    const { sid } = await leaveTwoParts(t)
    await t.recordings.recover()
    expect(await stored(t, sid)).toMatchObject({ status: 'processing', errorCode: undefined })
    expect(filesOf(t, sid)).toEqual([`${sid}-0.wav`, `${sid}-1.wav`])
    expect(told(t)).toEqual([])
    await expect
      .poll(() => stored(t, sid), POLL)
      .toMatchObject({
        status: 'completed',
        durationMs: 2_000,
      })
    expect(filesOf(t, sid)).toEqual([`${sid}.wav`])
    await expect
      .poll(() => told(t), POLL)
      .toMatchObject([{ RecordingStatus: 'completed', RecordingDuration: '2', ErrorCode: '0' }])
  })

  it('says in the event log of its call that it waits', async () => {
    await using t = await setUpRecordingsApi()
    const logged: unknown[] = []
    t.events.onEvent(({ kind, detail }) => logged.push({ kind, detail }))
    const { sid } = await leaveTwoParts(t)
    await t.recordings.recover()
    expect(logged).toMatchObject([{ kind: 'warning', detail: { code: 12400, recordingSid: sid } }])
  })

  it('is processing from the end of its audio on, also after a killed process', async () => {
    await using t = await setUpRecordingsApi()
    // The process was killed while it recorded, longer ago than a recording waits.
    const { sid } = await leaveTwoParts(t, { status: 'in-progress', updatedAt: 0 })
    await t.recordings.recover()
    const waiting = await stored(t, sid)
    expect(waiting.status).toBe('processing')
    expect(waiting.updatedAt).toBeGreaterThan(systemClock.now() - DAY_MS)
  })

  it('is absent after a day, and its parts stay for a rescue', async () => {
    await using t = await setUpRecordingsApi()
    const { sid } = await leaveTwoParts(t, { updatedAt: systemClock.now() - DAY_MS })
    await t.recordings.recover()
    expect(await stored(t, sid)).toMatchObject({ status: 'absent', errorCode: 12400 })
    expect(filesOf(t, sid)).toEqual([`${sid}-0.wav`, `${sid}-1.wav`])
    expect(told(t)).toMatchObject([{ RecordingStatus: 'absent', ErrorCode: '12400' }])
  })

  it('can be deleted while it waits: it is absent, and nothing of it is left', async () => {
    await using t = await setUpRecordingsApi()
    const { sid } = await leaveTwoParts(t)
    await t.recordings.recover()
    const { answer } = await t.request(`/Recordings/${sid}.json`, { method: 'DELETE' })
    expect(answer.status).toBe(204)
    expect(filesOf(t, sid)).toEqual([])
    expect(told(t)).toMatchObject([{ RecordingStatus: 'absent', ErrorCode: '0' }])
  })
})
