import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newSid } from '../../../../src/platform/ids.js'
import { ObjectStoreSink, STORE_KEY } from '../../../support/http/object-store.js'
import { setUpRecordingsApi } from '../../../support/voice/recordings-api.js'

describe('a process that begins', () => {
  it('removes files whose recording was deleted, and no others', async () => {
    await using t = await setUpRecordingsApi()
    const { sid } = await t.add()
    const deleted = newSid('RE')
    for (const ending of ['.wav', '-0.wav', '.mp3', '.mono.mp3.tmp', '.wav.tmp'])
      writeFileSync(join(t.recordingsFolder, `${deleted}${ending}`), 'left')
    writeFileSync(join(t.recordingsFolder, 'README'), 'somebody else’s')
    await t.recordings.recover()
    const names = readdirSync(t.recordingsFolder)
    expect(names.filter((name) => name.startsWith('RE'))).toEqual(
      expect.arrayContaining([`${sid}.wav`, 'README']),
    )
    expect(names.filter((name) => name.startsWith(deleted))).toEqual([])
  })

  it('removes the raw audio of a recording that is absent', async () => {
    await using t = await setUpRecordingsApi()
    const { sid } = await t.add({ status: 'absent', errorCode: 16102, durationMs: undefined }, [])
    writeFileSync(join(t.recordingsFolder, `${sid}-0.wav`), 'silence')
    await t.recordings.recover()
    const left = readdirSync(t.recordingsFolder).filter((name) => name.startsWith(sid))
    expect(left).toEqual([])
  })

  it('completes a recording whose file was made, but whose end was not stored', async () => {
    await using t = await setUpRecordingsApi()
    const { sid } = await t.add({ status: 'processing', durationMs: undefined })
    await t.recordings.recover()
    expect(await t.recordings.fetch(t.account.sid, sid)).toMatchObject({
      status: 'completed',
      durationMs: 2_000,
    })
  })

  it('ends a recording of which nothing is on the disk as absent, too short', async () => {
    await using t = await setUpRecordingsApi()
    const { sid } = await t.add({ status: 'in-progress', durationMs: undefined })
    rmSync(join(t.recordingsFolder, `${sid}.wav`))
    await t.recordings.recover()
    expect(await t.recordings.fetch(t.account.sid, sid)).toMatchObject({
      status: 'absent',
      errorCode: 16101,
    })
  })
})

describe('a process that begins, of a server with a bucket', () => {
  it('completes and sends a recording whose file was made, but whose end was not stored', async () => {
    await using store = await ObjectStoreSink.start()
    await using t = await setUpRecordingsApi({
      FILES_BUCKET: store.bucketUrl.replace('127.0.0.1', 'bucket.test'),
      FILES_ACCESS_KEY_ID: STORE_KEY.id,
      FILES_SECRET_ACCESS_KEY: STORE_KEY.secret,
    })
    const { sid } = await t.add({ status: 'processing', durationMs: undefined })
    const orphan = join(t.recordingsFolder, `${newSid('RE')}.wav`)
    writeFileSync(orphan, 'left')
    const made = readFileSync(join(t.recordingsFolder, `${sid}.wav`))
    await t.recordings.recover()
    expect(await t.recordings.fetch(t.account.sid, sid)).toMatchObject({ status: 'completed' })
    await expect
      .poll(() => [...store.objects.keys()], { timeout: 15_000 })
      .toEqual([`recordings/${sid}.wav`])
    expect(store.objects.get(`recordings/${sid}.wav`)?.bytes.equals(made)).toBe(true)
    await expect.poll(() => readdirSync(t.recordingsFolder), { timeout: 15_000 }).toEqual([])
    expect((await t.request(`/Recordings/${sid}.wav`)).bytes.equals(made)).toBe(true)
  })
})
