import { rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { createSpeech } from '../../../../src/voice/synthesis/speech.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { AUDIO_WORKER, rms, samplesOfFile } from '../../../support/sound/sound.js'

const never = new AbortController().signal
const HELLO = { text: 'Hello, this is a test.', voice: undefined, language: undefined }
const CALL = { accountSid: 'AC1', callSid: 'CA1' }
const open = (directory: string, workerUrl = AUDIO_WORKER) =>
  createSpeech({ directory, workerUrl, clock: systemClock })

describe('speech', () => {
  it('is a telephone file with sound of a plausible length', async () => {
    using folder = tempFolder()
    await using speech = open(folder.path)
    const { path, durationMs } = await speech.synthesise(HELLO, CALL, never)
    const samples = samplesOfFile(path)
    expect(rms(samples)).toBeGreaterThan(0.02)
    expect(durationMs).toBe(Math.round(samples.length / 8))
    expect(durationMs).toBeGreaterThan(1000)
    expect(durationMs).toBeLessThan(4000)
  })

  it('is spoken once: for all who want it at once, later, and after a restart', async () => {
    using folder = tempFolder()
    await using speech = open(folder.path)
    const both = await Promise.all([
      speech.synthesise(HELLO, CALL, never),
      speech.synthesise(HELLO, CALL, never),
    ])
    const path = both[0].path
    const { ino } = statSync(path)
    expect(await speech.synthesise(HELLO, CALL, never)).toEqual(both[1])
    await using restarted = open(folder.path, new URL('data:text/javascript,throw 1'))
    expect(await restarted.synthesise(HELLO, CALL, never)).toEqual(both[0])
    expect(statSync(path).ino).toBe(ino)
  })

  it('is another file for another text, voice or language', async () => {
    using folder = tempFolder()
    await using speech = open(folder.path)
    const paths = await Promise.all(
      [
        HELLO,
        { ...HELLO, text: 'Bye.' },
        { ...HELLO, voice: 'woman' },
        { ...HELLO, language: 'en-GB' },
      ].map(async (request) => (await speech.synthesise(request, CALL, never)).path),
    )
    expect(new Set(paths).size).toBe(4)
    expect(new Set(paths.map((path) => dirname(path)))).toEqual(new Set([folder.path]))
  })

  it('is slower and softer when the markup says so', async () => {
    using folder = tempFolder()
    await using speech = open(folder.path)
    const markup = { ssml: '<speak/>', rate: 1, gainDb: 0, unheard: [] }
    const plain = await speech.synthesise(HELLO, CALL, never)
    const slow = await speech.synthesise(
      { ...HELLO, markup: { ...markup, rate: 0.5 } },
      CALL,
      never,
    )
    const soft = await speech.synthesise(
      { ...HELLO, markup: { ...markup, gainDb: -12 } },
      CALL,
      never,
    )
    expect(slow.durationMs / plain.durationMs).toBeCloseTo(2, 0)
    expect(soft.durationMs).toBe(plain.durationMs)
    const level = (path: string) => rms(samplesOfFile(path))
    expect(20 * Math.log10(level(soft.path) / level(plain.path))).toBeCloseTo(-12, 0)
  })

  it('is made again when its file was deleted', async () => {
    using folder = tempFolder()
    await using speech = open(folder.path)
    const first = await speech.synthesise(HELLO, CALL, never)
    rmSync(first.path)
    expect(await speech.synthesise(HELLO, CALL, never)).toEqual(first)
    expect(statSync(first.path).size).toBeGreaterThan(8000)
  })

  it.each([
    ['too long', 'a'.repeat(4097), undefined, 13521],
    ['too long for its voice', 'a'.repeat(3001), 'Polly.Amy', 13521],
    ['unpronounceable', '你好', undefined, 13520],
  ])('%s: refused without a thread', async (_title, text, voice, number) => {
    using folder = tempFolder()
    await using speech = open(folder.path, new URL('data:text/javascript,throw 1'))
    const request = { text, voice, language: undefined }
    await expect(speech.synthesise(request, CALL, never)).rejects.toMatchObject({ number })
  })

  it('rejects with the signal’s reason, at once', async () => {
    using folder = tempFolder()
    await using speech = open(folder.path)
    const stop = new AbortController()
    const speaking = speech.synthesise(HELLO, CALL, stop.signal)
    const reason = new Error('enough')
    stop.abort(reason)
    await expect(speaking).rejects.toBe(reason)
  })
})
