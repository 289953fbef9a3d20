import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UnreadableAudioError } from '../../../../src/voice/audio/audio-block.js'
import { type AudioFormat, audioFormat } from '../../../../src/voice/audio/audio-format.js'
import { toTelephoneWav } from '../../../../src/voice/audio/to-telephone.js'
import { telephoneWavDurationMs } from '../../../../src/voice/audio/wav.js'
import { imaWav, w64 } from '../../../support/sound/rare-wav.js'
import { levelOf, telephoneSamples, tone, toUlaw, wavFile } from '../../../support/sound/sound.js'

const HOUR = 3_600_000
const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../fixtures/markup', name))
const MP3 = fixture('tone-1000hz.mp3')
const GSM = fixture('tone-1000hz.gsm')

const convert = async (file: Uint8Array, format: AudioFormat, maxMs = HOUR) =>
  telephoneSamples(await toTelephoneWav(file, format, maxMs))

describe('WAV', () => {
  it.each([
    [1, 8],
    [1, 16],
    [1, 24],
    [1, 32],
    [3, 32],
    [3, 64],
    [6, 8],
    [7, 8],
  ])('encoding %i of %i bits', async (tag, bits) => {
    for (const [rate, channels] of [
      [8000, 1],
      [44_100, 2],
    ] as const) {
      const file = wavFile(tone(1000, rate, 0.5), { tag, bits, rate, channels })
      const samples = await convert(file, 'wav')
      expect(Math.abs(samples.length - 4000)).toBeLessThanOrEqual(1)
      // A-law of 0.5 is half a step above it.
      expect(Math.abs(levelOf(1000, samples, 8000) - 0.5)).toBeLessThan(0.01)
      expect(levelOf(2000, samples, 8000)).toBeLessThan(0.01)
    }
  })

  it('extensible format', async () => {
    const options = { tag: 1, bits: 24, rate: 48_000, channels: 6, isExtensible: true }
    const samples = await convert(wavFile(tone(1000, 48_000, 0.2), options), 'wav')
    expect(levelOf(1000, samples, 8000)).toBeCloseTo(0.5, 2)
  })

  it('cut short, as a stream leaves it', async () => {
    const file = wavFile(tone(1000, 8000, 1), { tag: 1, bits: 16, rate: 8000, channels: 1 })
    expect((await convert(file.subarray(0, file.length - 8001), 'wav')).length).toBe(3999)
  })

  it('too long is cut', async () => {
    const file = wavFile(tone(1000, 16_000, 3), { tag: 1, bits: 16, rate: 16_000, channels: 1 })
    expect((await convert(file, 'wav', 1250)).length).toBe(10_000)
  })

  it('overdriven is clipped, not wrapped', async () => {
    const loud = tone(500, 16_000, 0.2, 1).map((sample) => Math.sign(sample))
    const file = wavFile(loud, { tag: 3, bits: 32, rate: 16_000, channels: 1 })
    expect(levelOf(500, await convert(file, 'wav'), 8000)).toBeGreaterThan(1)
  })
})

describe('IMA ADPCM', () => {
  it.each([
    [8000, 1, 256],
    [22_050, 2, 1024],
    [8000, 1, 2048],
  ])('at %i Hz, %i channels, blocks of %i bytes', async (rate, channels, blockBytes) => {
    const file = imaWav(tone(1000, rate, 0.5), { rate, channels, blockBytes })
    const samples = await convert(file, 'wav')
    expect(samples.length / 8000).toBeGreaterThan(0.5)
    const middle = samples.subarray(400, 3600)
    expect(Math.abs(levelOf(1000, middle, 8000) - 0.5)).toBeLessThan(0.03)
    expect(levelOf(2000, middle, 8000)).toBeLessThan(0.02)
  })

  it('cut short, and with blocks that cannot be', async () => {
    const file = imaWav(tone(1000, 8000, 0.5), { rate: 8000, channels: 1, blockBytes: 256 })
    expect((await convert(file.subarray(0, -300), 'wav')).length).toBeGreaterThan(3000)
    const odd = imaWav(tone(1000, 8000, 0.1), { rate: 8000, channels: 1, blockBytes: 256 })
    new DataView(odd.buffer, odd.byteOffset).setUint16(32, 3, true)
    await expect(convert(odd, 'wav')).rejects.toThrow(UnreadableAudioError)
  })
})

describe('W64', () => {
  const sound = tone(1000, 16_000, 0.5)

  it('is told by its first bytes, and read', async () => {
    const file = w64(sound, 16_000)
    expect(audioFormat('audio/x-wav', file)).toBe('w64')
    expect(levelOf(1000, await convert(file, 'w64'), 8000)).toBeCloseTo(0.5, 2)
  })

  it('whose writer stated no length is read to its end', async () => {
    const file = w64(sound, 16_000, 0)
    expect((await convert(file, 'w64')).length).toBeGreaterThanOrEqual(3_999)
  })

  it('without data cannot be read', async () => {
    await expect(convert(w64(sound, 16_000).subarray(0, 60), 'w64')).rejects.toThrow(
      UnreadableAudioError,
    )
  })
})

describe('MP3', () => {
  it('44.1 kHz stereo', async () => {
    const samples = await convert(MP3, 'mp3')
    expect(samples.length / 8000).toBeCloseTo(0.6, 0)
    expect(levelOf(1000, samples.subarray(1000, 4000), 8000)).toBeCloseTo(0.5, 1)
    expect(levelOf(2000, samples.subarray(1000, 4000), 8000)).toBeLessThan(0.01)
  })
  it('two files in one', async () => {
    const samples = await convert(Buffer.concat([MP3, MP3]), 'mp3')
    expect(samples.length).toBeGreaterThan(9000)
  })
})

describe('others', () => {
  it('AIFF, 16 bit at 22,050 Hz', async () => {
    const pcm = Buffer.alloc(11_025 * 2)
    for (const [n, sample] of tone(1000, 22_050, 0.5).entries())
      pcm.writeInt16BE(Math.round(sample * 32_767), n * 2)
    const common = Buffer.from('00010000' + '2b11' + '0010' + '400dac44000000000000', 'hex')
    const sized = (id: string, bytes: Buffer) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return Buffer.concat([Buffer.from(id), length, bytes])
    }
    const sound = sized('SSND', Buffer.concat([Buffer.alloc(8), pcm]))
    const body = Buffer.concat([Buffer.from('AIFF'), sized('COMM', common), sound])
    const samples = await convert(sized('FORM', body), 'aiff')
    expect(Math.abs(samples.length - 4000)).toBeLessThanOrEqual(1)
    expect(levelOf(1000, samples, 8000)).toBeCloseTo(0.5, 2)
  })

  it('µ-law, with and without a header', async () => {
    const raw = Buffer.from(tone(1000, 8000, 0.5).map(toUlaw))
    const header = Buffer.alloc(24)
    header.write('.snd')
    for (const [n, value] of [24, raw.length, 1, 8000, 1].entries())
      header.writeUInt32BE(value, 4 + 4 * n)
    for (const samples of [
      await convert(raw, 'ulaw'),
      await convert(Buffer.concat([header, raw]), 'au'),
    ]) {
      expect(samples.length).toBe(4000)
      expect(levelOf(1000, samples, 8000)).toBeCloseTo(0.5, 2)
    }
  })
})

describe('not audio', () => {
  const wav = (tag: number, bits: number, rate: number, channels: number) =>
    wavFile(tone(1000, 8000, 0.01), { tag, bits, rate, channels })
  it.each<[string, AudioFormat, Uint8Array]>([
    ['nothing', 'wav', new Uint8Array()],
    ['a WAV header', 'wav', wav(1, 16, 8000, 1).subarray(0, 12)],
    [
      'a WAV without samples',
      'wav',
      wavFile(new Float32Array(), { tag: 1, bits: 16, rate: 8000, channels: 1 }),
    ],
    ['an unknown encoding', 'wav', wav(2, 8, 8000, 1)],
    ['an impossible rate', 'wav', wav(1, 16, 0, 1)],
    ['too high a rate', 'wav', wav(1, 16, 4_000_000, 1)],
    ['12 bits', 'wav', wav(7, 16, 8000, 1)],
    ['text as MP3', 'mp3', Buffer.from('<html>not found</html>'.repeat(100))],
    ['an AIFF header', 'aiff', Buffer.from('FORM\0\0\0\x04AIFF')],
    ['an AU header', 'au', Buffer.from('.snd')],
  ])('%s', async (_title, format, file) => {
    await expect(toTelephoneWav(file, format, HOUR)).rejects.toBeInstanceOf(UnreadableAudioError)
  })

  it('damage anywhere never gives another error', async () => {
    const whole = wavFile(tone(1000, 8000, 0.02), { tag: 1, bits: 16, rate: 44_100, channels: 2 })
    for (let at = 0; at < 100; at += 1)
      for (const value of [0, 0x7f, 0xff]) {
        const file = Uint8Array.from(whole)
        file[at] = value
        await toTelephoneWav(file, 'wav', HOUR).catch((error: unknown) => {
          expect(error, `byte ${at} = ${value}`).toBeInstanceOf(UnreadableAudioError)
        })
      }
  })
})

describe('audioFormat', () => {
  const wav = wavFile(new Float32Array(4), { tag: 1, bits: 16, rate: 8000, channels: 1 })
  const noise = Buffer.from('0123456789abcdef')
  it.each<[string, Uint8Array, AudioFormat | undefined]>([
    ['audio/mpeg', MP3, 'mp3'],
    ['Audio/MPEG; charset=binary', MP3, 'mp3'],
    ['audio/mpeg', noise, 'mp3'],
    ['audio/wav', wav, 'wav'],
    ['audio/wave', wav, 'wav'],
    ['audio/x-wav', MP3, 'mp3'],
    ['audio/aiff', noise, 'aiff'],
    ['audio/x-aiff', noise, 'aiff'],
    ['audio/x-aifc', noise, 'aiff'],
    ['audio/basic', noise, 'ulaw'],
    ['audio/basic', MP3, 'ulaw'],
    ['audio/basic', Buffer.from('.snd0000'), 'au'],
    ['audio/ulaw', noise, 'ulaw'],
    ['audio/gsm', noise, undefined],
    ['audio/x-gsm', noise, undefined],
    ['audio/gsm', GSM, 'gsm'],
    ['audio/x-gsm', GSM, 'gsm'],
    ['audio/x-gsm', wav, 'wav'],
    ['audio/mpeg', GSM, 'gsm'],
    ['application/octet-stream', GSM, 'gsm'],
    ['application/octet-stream', MP3, 'mp3'],
    ['application/octet-stream', wav, 'wav'],
    ['application/octet-stream', noise, undefined],
    ['text/html', wav, undefined],
    ['audio/ogg', wav, 'wav'],
    ['audio/ogg', noise, undefined],
    ['', wav, 'wav'],
    ['', noise, undefined],
  ])('%s', (contentType, file, format) => {
    expect(audioFormat(contentType, file)).toBe(format)
  })
})

it('duration by size', () => {
  expect(telephoneWavDurationMs(44 + 16_000)).toBe(1000)
  expect(telephoneWavDurationMs(0)).toBe(0)
})
