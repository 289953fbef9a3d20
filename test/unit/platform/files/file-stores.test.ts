import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { DescribedApp } from '../../../../src/platform/api/described-app.js'
import { mountApi } from '../../../../src/platform/api/mount-api.js'
import { systemClock } from '../../../../src/platform/clock.js'
import { createBucketStore } from '../../../../src/platform/files/bucket-store.js'
import { createFileLinks } from '../../../../src/platform/files/file-links.js'
import { filesApi } from '../../../../src/platform/files/file-operations.js'
import { createFolderStore } from '../../../../src/platform/files/folder-store.js'
import { createOutbound } from '../../../../src/platform/http/outbound.js'
import { createLogger } from '../../../../src/platform/log.js'
import { ObjectStoreSink, STORE_KEY } from '../../../support/http/object-store.js'
import { tempFolder } from '../../../support/process/temp-folder.js'

const NAME = 'exports/AC1/2026-03-10.tar'
const WANTED = { seconds: 900, fileName: 'day.tar', mimeType: 'application/x-tar' }
const log = createLogger('silent')

function fileWith(text: string): string {
  const folder = tempFolder()
  onTestFinished(() => {
    folder[Symbol.dispose]()
  })
  const path = join(folder.path, 'made')
  writeFileSync(path, text)
  return path
}

function folderStore() {
  const folder = tempFolder()
  onTestFinished(() => {
    folder[Symbol.dispose]()
  })
  const time = { now: 1_000 }
  const clock = { now: () => time.now, monotonic: () => time.now }
  const links = createFileLinks({
    key: Buffer.alloc(32, 1),
    clock,
    baseUrl: () => 'http://here.test',
  })
  const store = createFolderStore(folder.path, links)
  const app = new DescribedApp()
  mountApi(app, filesApi(store, links, log))
  return { folder: folder.path, time, store, app }
}

it('keeps a file in a folder, whose link works without credentials until it expires', async () => {
  const { folder, time, store, app } = folderStore()
  await store.put(NAME, fileWith('one'), 'application/x-tar')
  await store.put(NAME, fileWith('two'), 'application/x-tar')
  expect(readFileSync(join(folder, NAME), 'utf8')).toBe('two')
  const link = store.link(NAME, WANTED)
  const answer = await app.request(link)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/x-tar')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="day.tar"')
  expect(await answer.text()).toBe('two')
  time.now += 900_000
  expect((await app.request(link)).status).toBe(404)
})

it('gives nothing for a forged link, nor for that of a deleted file', async () => {
  const { store, app } = folderStore()
  await store.put(NAME, fileWith('one'), 'application/x-tar')
  const link = store.link(NAME, WANTED)
  const [head = '', proof = ''] = link.split('.').slice(-2)
  const path = head.slice(head.lastIndexOf('/') + 1)
  const other = Buffer.from(
    Buffer.from(path, 'base64url').toString().replace('AC1', 'AC2'),
  ).toString('base64url')
  for (const bad of [`${path}.x`, path, `${other}.${proof}`, 'x.y', '.'])
    expect((await app.request(`http://here.test/files/${bad}`)).status).toBe(404)
  await store.remove(NAME)
  await store.remove(NAME)
  expect((await app.request(link)).status).toBe(404)
})

it.each([
  '../vault.key',
  '/etc/passwd',
  'a/../b',
  'a//b',
  '',
  'a/.hidden',
])('stores nothing under the name %j', async (name) => {
  const { store } = folderStore()
  await expect(store.put(name, fileWith('x'), 'text/plain')).rejects.toThrow('not the name')
})

async function bucketStore(change: object = {}) {
  const sink = await ObjectStoreSink.start()
  const outbound = createOutbound({
    ...{ clock: systemClock, log, policy: { mode: 'allow-private', allow: [] } },
  })
  onTestFinished(async () => {
    await outbound[Symbol.asyncDispose]()
    await sink[Symbol.asyncDispose]()
  })
  const settings = {
    ...{ bucket: sink.bucketUrl, prefix: 'kept', accessKeyId: STORE_KEY.id },
    ...{ secretAccessKey: STORE_KEY.secret, ...change },
  }
  const { signal } = new AbortController()
  return { sink, store: createBucketStore({ outbound, clock: systemClock, signal, settings }) }
}

it('keeps a file in a bucket, whose link the store itself checks', async () => {
  const { sink, store } = await bucketStore()
  await store.put(NAME, fileWith('one'), 'application/x-tar')
  expect(sink.objects.get(`kept/${NAME}`)?.bytes.toString()).toBe('one')
  const link = store.link(NAME, WANTED)
  const answer = await fetch(link)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/x-tar')
  expect(await answer.text()).toBe('one')
  expect((await fetch(link.replace('2026-03-10', '2026-03-11'))).status).toBe(403)
  expect((await fetch(store.link(NAME, { ...WANTED, seconds: 0 }))).status).toBe(403)
  await store.remove(NAME)
  expect((await fetch(link)).status).toBe(404)
})

it('rejects when the bucket refuses', async () => {
  const { store } = await bucketStore({ secretAccessKey: 'wrong' })
  await expect(store.put(NAME, fileWith('one'), 'text/plain')).rejects.toThrow('403')
})

it.each([
  ['https://store.test/bucket', 'UNSIGNED-PAYLOAD'],
  // The hash of `one` (FIPS 180-4), as sha256sum(1) computes it.
  ['http://store.test/bucket', '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed'],
])('vouches for an upload to %s by %s', async (bucket, hash) => {
  const sent: (string | undefined)[] = []
  const store = createBucketStore({
    outbound: {
      allowsPlainSockets: true,
      request: ({ url, headers }) => {
        sent.push(headers?.['x-amz-content-sha256'])
        const timings = { connectMs: 0, headersMs: 0, totalMs: 0 }
        const body = Buffer.alloc(0)
        return Promise.resolve({ status: 200, headers: new Headers(), body, url, timings })
      },
    },
    clock: systemClock,
    signal: new AbortController().signal,
    settings: { bucket, accessKeyId: STORE_KEY.id, secretAccessKey: STORE_KEY.secret },
  })
  expect(await store.upload('a/b', fileWith('one'), 'text/plain')).toEqual({ type: 'done' })
  expect(sent).toEqual([hash])
})
