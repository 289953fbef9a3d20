import { readFileSync, writeFileSync } from 'node:fs'

export interface WavFile {
  readonly channels: number
  readonly sampleRate: number
  /** Samples, one array per channel. */
  readonly samples: readonly Int16Array[]
}

/** Reads a 16-bit PCM file with a plain 44-byte header, as strictly as a player. */
export function readWav(path: string): WavFile {
  return wavOf(readFileSync(path), path)
}

/**
 * Reads a file that is still being written, like a copy made at that moment. The header is read before the
 * data: a single read would determine the length first, and might find a newer header.
 */
export function readGrowingWav(path: string): WavFile {
  const head = readFileSync(path).subarray(0, 44)
  return wavOf(Buffer.concat([head, readFileSync(path).subarray(44)]), path)
}

function wavOf(bytes: Buffer, path: string): WavFile {
  const channels = bytes.readUInt16LE(22)
  const dataBytes = bytes.readUInt32LE(40)
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 36, 40) !== 'data')
    throw new Error(`${path} is not a plain WAV file`)
  if (bytes.readUInt16LE(20) !== 1 || bytes.readUInt16LE(34) !== 16)
    throw new Error(`${path} is not 16-bit PCM`)
  if (bytes.readUInt32LE(4) !== 36 + dataBytes || bytes.length < 44 + dataBytes)
    throw new Error(`${path}: the header promises more than there is`)
  const frames = dataBytes / 2 / channels
  const samples = Array.from({ length: channels }, (_, channel) =>
    Int16Array.from({ length: frames }, (_unused, i) =>
      bytes.readInt16LE(44 + 2 * (i * channels + channel)),
    ),
  )
  return { channels, sampleRate: bytes.readUInt32LE(24), samples }
}

/** Writes any WAV file: `format` 1 is PCM, 6 A-law, 7 µ-law; `data` is written unchanged. */
export function writeWav(
  path: string,
  file: { format: number; bits: number; channels: number; sampleRate: number; data: Buffer },
): void {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + file.data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(file.format, 20)
  head.writeUInt16LE(file.channels, 22)
  head.writeUInt32LE(file.sampleRate, 24)
  const frameBytes = (file.bits / 8) * file.channels
  head.writeUInt32LE(file.sampleRate * frameBytes, 28)
  head.writeUInt16LE(frameBytes, 32)
  head.writeUInt16LE(file.bits, 34)
  head.write('data', 36)
  head.writeUInt32LE(file.data.length, 40)
  writeFileSync(path, Buffer.concat([head, file.data]))
}

/** Converts 16-bit samples to bytes, each repeated for every channel. */
export function pcm16(samples: Int16Array, channels = 1): Buffer {
  const data = Buffer.alloc(2 * samples.length * channels)
  samples.forEach((sample, i) => {
    for (let channel = 0; channel < channels; channel++)
      data.writeInt16LE(sample, 2 * (i * channels + channel))
  })
  return data
}
