import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FileListener } from '../../../../../src/voice/telephony/files/file-listener.js'
import { recordingLog } from '../../../../support/process/recording-log.js'
import { tempFolder } from '../../../../support/process/temp-folder.js'
import { waitUntil } from '../../../../support/time/wait-until.js'

let folder: ReturnType<typeof tempFolder>
let listener: FileListener
let isMediaServer = true
let now = 0

beforeEach(async () => {
  folder = tempFolder()
  isMediaServer = true
  now = 1_000
  listener = await FileListener.open({
    address: '127.0.0.1',
    advertisedAddress: undefined,
    isMediaServer: () => isMediaServer,
    clock: { now: () => now },
    log: recordingLog().log,
  })
})
afterEach(async () => {
  await listener[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const put = (url: string, body: string) => fetch(url, { method: 'PUT', body })

it('gives out a file whose URL it has signed, for a while', async () => {
  const file = join(folder.path, 'a.wav')
  writeFileSync(file, 'audio')
  const url = listener.urlOf(file)
  const answer = await fetch(url)
  expect(await answer.text()).toBe('audio')
  expect(answer.headers.get('content-length')).toBe('5')
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
  now += 2 * 3_600_000
  expect((await fetch(url)).status).toBe(404)
})

it('answers nobody but media servers', async () => {
  const file = join(folder.path, 'a.wav')
  writeFileSync(file, 'audio')
  const expected = listener.expect(join(folder.path, 'b.wav'))
  isMediaServer = false
  expect((await fetch(listener.urlOf(file))).status).toBe(404)
  expect((await put(expected.url, 'audio')).status).toBe(404)
  expect(await expected.finish()).toBe(false)
})

it('refuses what it has not signed, and other methods', async () => {
  const base = new URL(listener.urlOf('/x.wav')).origin
  for (const path of ['/', '/play/1/x/y.wav', '/record/../x.wav', '/../../etc/passwd'])
    expect((await fetch(`${base}${path}`)).status).toBe(404)
  expect((await fetch(listener.urlOf('/x.wav'), { method: 'POST' })).status).toBe(404)
  expect((await fetch(listener.urlOf(folder.path))).status).toBe(404)
})

it('takes each expected file once', async () => {
  const path = join(folder.path, 'new', 'b.wav')
  const expected = listener.expect(path)
  expect((await put(expected.url, 'recorded')).status).toBe(201)
  expect((await put(expected.url, 'again')).status).toBe(404)
  expect(await expected.finish()).toBe(true)
  expect((await put(expected.url, 'late')).status).toBe(404)
  expect(readFileSync(path, 'utf8')).toBe('recorded')
})

it('leaves nothing of a file that is cut short', async () => {
  const path = join(folder.path, 'c.wav')
  const expected = listener.expect(path)
  const { hostname, pathname, port } = new URL(expected.url)
  const socket = connect(Number(port), hostname)
  socket.write(`PUT ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf`)
  await waitUntil('it is being stored', () => existsSync(`${path}.part`))
  socket.destroy()
  await waitUntil('it is removed', () => !existsSync(`${path}.part`))
  expect(existsSync(path)).toBe(false)
  expect((await put(expected.url, 'whole')).status).toBe(201)
  expect(await expected.finish()).toBe(true)
})
