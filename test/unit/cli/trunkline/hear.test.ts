import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { encodeTelephoneWav } from '../../../../src/voice/audio/wav.js'
import { HttpSink } from '../../../support/http/http-sink.js'
import { join, silence, speech } from '../../voice/amd/sounds.js'
import { runCommand } from './run-command.js'

let sink: HttpSink
let folder: string
let file: string

beforeEach(async () => {
  sink = await HttpSink.start()
  folder = await mkdtemp(path(tmpdir(), 'hear-'))
  file = path(folder, 'spoken.wav')
  const sound = join(silence(500), speech(1500), silence(1500))
  await writeFile(file, encodeTelephoneWav(sound))
})
afterEach(async () => {
  await sink[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const hear = (...args: readonly string[]) =>
  runCommand(['hear', ...args], { RECOGNISER_URL: sink.url, DATA_DIR: folder })

it('prints when speech began and ended, and what was said', async () => {
  sink.answer({ body: JSON.stringify({ text: 'Hello there', segments: [{ avg_logprob: 0 }] }) })
  const { code, out } = await hear(file, '--hints', 'hello, there')
  expect(code).toBe(0)
  expect(out.split('\n').map((line) => line.replace(/^ *[\d.]+ s {2}/, ''))).toEqual([
    'speech began',
    'speech ended',
    'said “Hello there” (confidence 1.00)',
  ])
})

it('prints JSON', async () => {
  sink.answer({ body: JSON.stringify({ text: 'Hello' }) })
  const { out } = await hear(file, '--json')
  const events = out.split('\n').map((line) => JSON.parse(line) as { type: string })
  expect(events.at(-1)).toEqual({ type: 'final', text: 'Hello' })
})

it('fails with what the recogniser answered', async () => {
  sink.answer({ status: 401 })
  expect(await hear(file)).toMatchObject({ code: 1, err: 'the recogniser answered 401' })
})

it('fails where nobody speaks', async () => {
  await writeFile(file, encodeTelephoneWav(silence(3000)))
  expect(await hear(file)).toMatchObject({ code: 1, err: `no speech was found in ${file}` })
  expect(sink.requests).toEqual([])
})

it.each(['missing.wav', 'text.wav'])('refuses %s', async (name) => {
  await writeFile(path(folder, 'text.wav'), 'no sound')
  const { code, err } = await hear(path(folder, name))
  expect([code, err.startsWith(path(folder, name))]).toEqual([2, true])
})

it('needs a recogniser', async () => {
  const { code, err } = await runCommand(['hear', file], { DATA_DIR: folder })
  expect([code, err]).toEqual([2, expect.stringMatching(/^RECOGNISER_URL is not set/)])
})
