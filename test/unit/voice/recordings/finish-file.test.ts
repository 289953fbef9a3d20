import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { finishFile, keepSide } from '../../../../src/voice/recordings/files/finish-file.js'
import { openRecordingMedia } from '../../../../src/voice/recordings/files/recording-media.js'
import { readWavPart } from '../../../../src/voice/recordings/files/wav-part.js'
import { smallDisk } from '../../../support/process/small-disk.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { rms, toneShare } from '../../../support/sound/tone.js'
import { stereoWav, toneWav } from '../../../support/sound/wav-bytes.js'

function setUp() {
  const folder = tempFolder()
  onTestFinished(() => {
    folder[Symbol.dispose]()
  })
  const partPath = (index: number) => join(folder.path, `RE-${index}.wav`)
  const path = join(folder.path, 'RE.wav')
  return {
    path,
    partPath,
    finish: (rest: Partial<Parameters<typeof finishFile>[0]> = {}) =>
      finishFile({
        path,
        partPath,
        trim: 'do-not-trim',
        silence: 'kept',
        maxMs: undefined,
        ...rest,
      }),
    samples: () => samplesOf(readFileSync(path)),
  }
}

function samplesOf(file: Buffer): Int16Array {
  expect(file.readUInt32LE(40)).toBe(file.length - 44)
  expect(file.readUInt32LE(4)).toBe(file.length - 8)
  return new Int16Array(Uint8Array.from(file.subarray(44)).buffer)
}

const silence = (seconds: number) => Buffer.alloc(16_000 * seconds)

describe('finishing the file of a recording', () => {
  it('counts what is there when the writer was killed before it did [F43]', async () => {
    const { partPath, finish, samples } = setUp()
    const killed = toneWav(440, 2)
    killed.writeUInt32LE(0, 40)
    killed.writeUInt32LE(36, 4)
    writeFileSync(partPath(0), killed)
    expect(await finish()).toEqual({ type: 'finished', durationMs: 2_000 })
    expect(samples()).toHaveLength(16_000)
    expect(existsSync(partPath(0))).toBe(false)
  })

  it.each([
    [0, 440, 'mono', 8_000],
    [1, 880, 'mono', 8_000],
    [1, 880, 'dual', 16_000],
  ] as const)('leaves one side of a call: channel %i, %i Hz, %s', async (channel, hz, as, count) => {
    const { partPath, finish, samples, path } = setUp()
    for (const index of [0, 1]) writeFileSync(partPath(index), stereoWav(440, 880, 0.5))
    // As a killed process leaves it: the first part has one side already.
    if (as === 'mono')
      await keepSide((await readWavPart(partPath(0))) ?? expect.fail(), { channel, as })
    expect(await finish({ side: { channel, as } })).toEqual({ type: 'finished', durationMs: 1_000 })
    const heard = samples()
    expect(heard).toHaveLength(count)
    const side = as === 'mono' ? heard : heard.filter((_, index) => index % 2 === channel)
    expect(toneShare(side, hz)).toBeGreaterThan(0.9)
    if (as === 'dual') expect(rms(heard.filter((_, index) => index % 2 !== channel))).toBe(0)
    expect(readdirSync(dirname(path))).toEqual(['RE.wav'])
  })

  it('drops half a sample', async () => {
    const { partPath, finish, samples } = setUp()
    writeFileSync(partPath(0), toneWav(440, 1).subarray(0, -1))
    expect(await finish()).toMatchObject({ type: 'finished' })
    expect(samples()).toHaveLength(7_999)
  })

  it('joins the parts in order, without what was skipped', async () => {
    const { partPath, finish, samples } = setUp()
    writeFileSync(partPath(0), toneWav(440, 1))
    writeFileSync(partPath(1), toneWav(1_000, 0.5))
    expect(await finish()).toEqual({ type: 'finished', durationMs: 1_500 })
    const heard = samples()
    expect(toneShare(heard.subarray(0, 8_000), 440)).toBeGreaterThan(0.99)
    expect(toneShare(heard.subarray(8_000), 1_000)).toBeGreaterThan(0.99)
  })

  it('comes to the same when it is done again', async () => {
    const { partPath, finish } = setUp()
    writeFileSync(partPath(0), toneWav(440, 1))
    writeFileSync(partPath(1), toneWav(440, 1))
    const first = await finish()
    writeFileSync(partPath(0), toneWav(440, 1)) // it was killed before it removed this one
    expect(await finish()).toEqual(first)
    expect(existsSync(partPath(0))).toBe(false)
  })

  it('cuts at the longest length', async () => {
    const { partPath, finish, samples } = setUp()
    writeFileSync(partPath(0), toneWav(440, 2))
    expect(await finish({ maxMs: 1_500 })).toEqual({ type: 'finished', durationMs: 1_500 })
    expect(samples()).toHaveLength(12_000)
  })

  it('trims the silence around the sound, not within it', async () => {
    const { partPath, finish, samples } = setUp()
    const tone = toneWav(440, 1).subarray(44)
    const audio = [silence(3), tone, silence(1), tone, silence(5)]
    writeFileSync(partPath(0), Buffer.concat([toneWav(440, 0), ...audio]))
    expect(await finish({ trim: 'trim-silence' })).toEqual({ type: 'finished', durationMs: 3_000 })
    expect(rms(samples().subarray(8_100, 15_900))).toBe(0)
  })

  it('keeps the silence around the sound where a full disk leaves no room for the trimmed file', async (t) => {
    const disk = smallDisk(1)
    if (!('path' in disk)) return t.skip(`no small disk: ${disk.reason}`)
    using full = disk
    const path = join(full.path, 'RE.wav')
    const partPath = (index: number) => join(full.path, `RE-${index}.wav`)
    const sound = toneWav(440, 1).subarray(44)
    const header = toneWav(440, 0)
    writeFileSync(partPath(0), Buffer.concat([header, silence(1), sound, silence(1)]))
    full.fill()
    const wanted = { path, partPath, maxMs: undefined }
    const finished = await finishFile({ ...wanted, trim: 'trim-silence', silence: 'nothing' })
    expect(finished).toEqual({ type: 'finished', durationMs: 2_000 })
    expect(samplesOf(readFileSync(path))).toHaveLength(16_000)
  })

  it.for([
    [0, 440, 'mono'],
    [1, 880, 'dual'],
  ] as const)('leaves one side beside silence where a full disk leaves no room for a copy: channel %i, %i Hz, %s', async ([
    channel,
    hz,
    as,
  ], t) => {
    const disk = smallDisk(1)
    if (!('path' in disk)) return t.skip(`no small disk: ${disk.reason}`)
    using full = disk
    const path = join(full.path, 'RE.wav')
    const partPath = (index: number) => join(full.path, `RE-${index}.wav`)
    writeFileSync(partPath(0), stereoWav(440, 880, 1))
    full.fill()
    const wanted = { path, partPath, maxMs: undefined, side: { channel, as } }
    const finished = await finishFile({ ...wanted, trim: 'trim-silence', silence: 'kept' })
    expect(finished).toEqual({ type: 'finished', durationMs: 1_000 })
    const file = readFileSync(path)
    expect(file.readUInt16LE(22)).toBe(2)
    const heard = samplesOf(file)
    const sideOf = (one: number) => heard.filter((_, index) => index % 2 === one)
    expect(toneShare(sideOf(channel), hz)).toBeGreaterThan(0.9)
    expect(rms(sideOf(1 - channel))).toBe(0)
    expect(readdirSync(full.path).sort()).toEqual(['RE.wav', 'filler'])
  })

  it('is silent when nothing but silence is to be trimmed, and empty when nothing came', async () => {
    const { partPath, finish } = setUp()
    expect(await finish()).toEqual({ type: 'empty' })
    writeFileSync(partPath(0), Buffer.concat([toneWav(440, 0), silence(1)]))
    expect(await finish({ trim: 'trim-silence' })).toEqual({ type: 'silent' })
  })
})

describe('the sound of a dual recording', () => {
  it('is mixed down to one channel, in any range of bytes', async () => {
    const { path } = setUp()
    const left = toneWav(440, 1).subarray(44)
    const right = toneWav(1_000, 1).subarray(44)
    const dual = Buffer.alloc(44 + 2 * left.length)
    toneWav(440, 1).copy(dual, 0, 0, 44)
    dual.writeUInt16LE(2, 22)
    for (let at = 0; at < left.length; at += 2) {
      left.copy(dual, 44 + 2 * at, at, at + 2)
      right.copy(dual, 46 + 2 * at, at, at + 2)
    }
    writeFileSync(path, dual)
    const media = await openRecordingMedia(path, 'one-channel')
    const read = async (start: number, end: number) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of media?.read(start, end) ?? []) chunks.push(chunk)
      return Buffer.concat(chunks)
    }
    const whole = await read(0, (media?.bytes ?? 0) - 1)
    expect(whole).toHaveLength(44 + left.length)
    const mixed = samplesOf(whole)
    expect(toneShare(mixed, 440)).toBeCloseTo(0.5, 1)
    expect(toneShare(mixed, 1_000)).toBeCloseTo(0.5, 1)
    expect(await read(10, 10)).toEqual(whole.subarray(10, 11))
    expect(await read(41, 1_003)).toEqual(whole.subarray(41, 1_004))
    expect(await read(9_999, 12_345)).toEqual(whole.subarray(9_999, 12_346))
  })
})
