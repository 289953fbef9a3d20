import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { StorageSettings } from '../../../../src/accounts/settings.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createOutbound } from '../../../../src/platform/http/outbound.js'
import { newSid } from '../../../../src/platform/ids.js'
import { createLogger } from '../../../../src/platform/log.js'
import {
  type ArchiveDeps,
  createRecordingArchive,
} from '../../../../src/voice/recordings/archive/recording-archive.js'
import { ObjectStoreSink, STORE_KEY } from '../../../support/http/object-store.js'
import { toneWav } from '../../../support/sound/wav-bytes.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

const POLL = { timeout: 15_000, interval: 10 }
const AT_ONCE = { firstDelayMs: 20, maxDelayMs: 50, horizonMs: 60_000 }
const DAY_MS = 86_400_000
/** A loopback address that no other test listens on. */
const LONELY = '127.83.3.1'

async function setUp(storage: Partial<StorageSettings> = {}, rest: Partial<ArchiveDeps> = {}) {
  const bench = await setUpCalls()
  const log = createLogger('silent')
  const sink = await ObjectStoreSink.start()
  const outbound = createOutbound({
    ...{ clock: bench.clock, log },
    policy: { mode: 'allow-private', allow: [] },
  })
  // A node of its own: the voice service of the bench has an archive too, which has no network.
  const db = Object.create(bench.db, { node: { value: 'archive' } }) as Database
  const deps: ArchiveDeps = {
    ...{ ...bench, db, log, outbound, random: () => 0 },
    files: { find: (name) => Promise.resolve(join(bench.recordingsFolder, name)) },
    schedules: { upload: AT_ONCE, delete: AT_ONCE },
    ...rest,
  }
  const archive = createRecordingArchive(deps)
  const set = (change: StorageSettings, sid: string = bench.account.sid) =>
    bench.accounts.update(sid, { settings: { storage: change } })
  const good = (): StorageSettings => ({
    bucket: sink.bucketUrl,
    accessKeyId: STORE_KEY.id,
    secretAccessKey: STORE_KEY.secret,
  })
  await set({ ...good(), ...storage })
  onTestFinished(async () => {
    await archive[Symbol.asyncDispose]()
    await outbound[Symbol.asyncDispose]()
    await sink[Symbol.asyncDispose]()
    await bench[Symbol.asyncDispose]()
  })
  const record = async (accountSid: string = bench.account.sid, seconds = 1) => {
    const recording = { sid: newSid('RE'), accountSid, callSid: newSid('CA') }
    const file = join(bench.recordingsFolder, `${recording.sid}.wav`)
    const bytes = toneWav(440, seconds)
    writeFileSync(file, bytes)
    await bench.db.write((tx) => archive.enqueue(tx, recording))
    archive.wake()
    return { ...recording, file, bytes }
  }
  const remove = async (sid: string) => {
    await bench.db.write((tx) => archive.enqueueRemoval(tx, sid))
    archive.wake()
  }
  const errors = async (callSid: string) => {
    await bench.events.flush()
    const page = await bench.events.list(callSid, { type: 'offset', offset: 0 }, 100)
    return page.events.filter(({ kind }) => kind === 'error').map(({ detail }) => detail['code'])
  }
  const rows = () => bench.db.read.selectFrom('recording_archive').selectAll().execute()
  return { ...bench, sink, deps, archive, set, good, record, remove, errors, rows }
}

describe('the archive of recordings', () => {
  it('puts a finished recording into the bucket, signed, whole, with the key that encrypts it', async () => {
    const t = await setUp({
      prefix: 'calls of/März (1)/',
      kmsKeyId: 'arn:kms:key/1',
      region: 'eu-west-3',
    })
    const { sid, bytes, file } = await t.record(t.account.sid, 120)
    const name = `calls%20of/M%C3%A4rz%20%281%29/${sid}.wav`
    await expect.poll(() => t.sink.objects.has(name), POLL).toBe(true)
    const stored = t.sink.objects.get(name)
    expect(stored?.bytes.equals(bytes)).toBe(true)
    expect(stored?.headers).toMatchObject({
      'content-type': 'audio/x-wav',
      'content-length': String(bytes.length),
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': 'arn:kms:key/1',
    })
    expect(stored?.headers['transfer-encoding']).toBeUndefined()
    expect(existsSync(file)).toBe(true)
    await expect.poll(async () => (await t.rows())[0]?.state, POLL).toBe('stored')
  })

  it('is nothing to accounts without a bucket', async () => {
    const t = await setUp({ bucket: undefined })
    expect(await t.archive.isWanted(t.account.sid)).toBe(false)
  })

  it.each<[string, StorageSettings, number]>([
    ['no key id', { accessKeyId: undefined }, 16111],
    ['no secret key', { secretAccessKey: undefined }, 16111],
    ['a name that no bucket has', { bucket: 'Not A Bucket' }, 16111],
    ['a name without a region', { bucket: 'somebody-s-bucket' }, 16111],
    ['a prefix that leads elsewhere', { prefix: '../other' }, 16111],
    ['the key of somebody else', { accessKeyId: 'AKID0OTHER' }, 16112],
    ['a wrong secret key', { secretAccessKey: 'guessed' }, 16112],
  ])('says once what is wrong with %s, and stores it when that is mended', async (_title, wrong, code) => {
    const t = await setUp(wrong)
    const { callSid, sid, file } = await t.record()
    await expect.poll(async () => (await t.rows())[0]?.attempts ?? 0, POLL).toBeGreaterThan(2)
    expect(await t.errors(callSid)).toEqual([code])
    expect(existsSync(file)).toBe(true)
    await t.set({ ...t.good(), prefix: undefined })
    await expect.poll(() => [...t.sink.objects.keys()], POLL).toEqual([`${sid}.wav`])
  })

  it('says that there is no such bucket', async () => {
    const t = await setUp()
    await t.set({ bucket: `http://127.0.0.1:${t.sink.port}/other` })
    const { callSid } = await t.record()
    await expect.poll(() => t.errors(callSid), POLL).toEqual([16111])
  })

  it('keeps trying while the bucket is unreachable or fails, and tells of each trouble once', async () => {
    const t = await setUp()
    const { port } = t.sink
    // On an address of its own, whose port nobody else takes meanwhile.
    await t.set({ ...t.good(), bucket: `http://${LONELY}:${port}/recordings` })
    const { callSid, sid } = await t.record()
    await expect.poll(() => t.errors(callSid), POLL).toEqual([11202])
    await using again = await ObjectStoreSink.start(port, LONELY)
    again.refuse(503, 'SlowDown')
    await expect.poll(() => t.errors(callSid), POLL).toEqual([11202, 11200])
    again.refuse()
    await expect.poll(() => [...again.objects.keys()], POLL).toEqual([`${sid}.wav`])
  })

  it('gives up after its time, says so, and leaves the recording here', async () => {
    const t = await setUp(
      {},
      { schedules: { upload: { ...AT_ONCE, horizonMs: 0 }, delete: AT_ONCE } },
    )
    t.sink.refuse(500)
    const { callSid, file } = await t.record()
    await expect.poll(async () => (await t.rows())[0]?.state, POLL).toBe('given-up')
    await expect.poll(() => t.errors(callSid), POLL).toEqual([11200])
    expect(existsSync(file)).toBe(true)
  })

  it('is taken up by the next process', async () => {
    const t = await setUp()
    t.sink.refuse(500)
    const { sid } = await t.record()
    await expect.poll(async () => (await t.rows())[0]?.attempts ?? 0, POLL).toBeGreaterThan(0)
    await t.archive[Symbol.asyncDispose]()
    t.sink.refuse()
    await using next = createRecordingArchive(t.deps)
    next.wake()
    await expect.poll(() => [...t.sink.objects.keys()], POLL).toEqual([`${sid}.wav`])
  })

  it('waits no longer because somebody set the clock back', async () => {
    const t = await setUp()
    t.sink.refuse(500)
    const { sid } = await t.record()
    await expect.poll(async () => (await t.rows())[0]?.attempts ?? 0, POLL).toBeGreaterThan(0)
    await t.archive[Symbol.asyncDispose]()
    t.sink.refuse()
    const earlier = { ...t.clock, now: () => t.clock.now() - DAY_MS }
    await using next = createRecordingArchive({ ...t.deps, clock: earlier })
    next.wake()
    await expect.poll(() => t.sink.objects.has(`${sid}.wav`), POLL).toBe(true)
  })

  it('lets one account’s silent bucket hold up nobody else’s', async () => {
    const t = await setUp()
    const open = t.sink.hold()
    await using second = await ObjectStoreSink.start()
    const other = await t.accounts.create({ friendlyName: 'other' })
    await t.set({ ...t.good(), bucket: second.bucketUrl }, other.sid)
    for (let count = 0; count < 6; count += 1) await t.record()
    await expect.poll(() => t.sink.asked.length, POLL).toBe(1)
    const { sid } = await t.record(other.sid)
    await expect.poll(() => [...second.objects.keys()], POLL).toEqual([`${sid}.wav`])
    expect(t.sink.asked).toHaveLength(1)
    open()
    await expect.poll(() => t.sink.objects.size, POLL).toBe(6)
  })
})

describe('a deleted recording', () => {
  it('is deleted from where it was stored, whatever the settings say by now', async () => {
    const t = await setUp({ prefix: 'old' })
    const { sid } = await t.record()
    await expect.poll(async () => (await t.rows())[0]?.state, POLL).toBe('stored')
    await t.set({ prefix: 'new' })
    await t.remove(sid)
    await expect
      .poll(() => t.sink.answered.at(-1), POLL)
      .toBe(`DELETE /recordings/old/${sid}.wav 204`)
    expect(t.sink.objects.size).toBe(0)
    await expect.poll(t.rows, POLL).toEqual([])
  })

  it('does not stay in the bucket when it was on its way there', async () => {
    const t = await setUp()
    const open = t.sink.hold()
    const { sid } = await t.record()
    await expect.poll(() => t.sink.asked, POLL).toEqual([`PUT /recordings/${sid}.wav`])
    await t.remove(sid)
    open()
    await expect.poll(t.rows, POLL).toEqual([])
    expect(t.sink.answered.at(-1)).toBe(`DELETE /recordings/${sid}.wav 204`)
    expect(t.sink.objects.size).toBe(0)
  })

  it('costs no request when it never left', async () => {
    const t = await setUp({ secretAccessKey: undefined })
    const { sid } = await t.record()
    await expect.poll(async () => (await t.rows())[0]?.attempts ?? 0, POLL).toBeGreaterThan(0)
    await t.remove(sid)
    await expect.poll(t.rows, POLL).toEqual([])
    expect(t.sink.asked).toEqual([])
  })

  it('is given up after a day of refusals', async () => {
    const t = await setUp(
      {},
      { schedules: { upload: AT_ONCE, delete: { ...AT_ONCE, horizonMs: 0 } } },
    )
    const { sid, callSid } = await t.record()
    await expect.poll(async () => (await t.rows())[0]?.state, POLL).toBe('stored')
    t.sink.refuse(403, 'AccessDenied')
    await t.remove(sid)
    await expect.poll(t.rows, POLL).toEqual([])
    await expect.poll(() => t.errors(callSid), POLL).toEqual([16112])
  })
})
