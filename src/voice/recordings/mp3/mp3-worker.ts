/** Worker thread that encodes one recording to MP3, with one chunk in memory at a time. */
import { open, rename } from 'node:fs/promises'
import { workerData } from 'node:worker_threads'
import { createMp3Encoder } from 'wasm-media-encoders'
import { openRecordingMedia, type RecordingMedia } from '../files/recording-media.js'
import type { Mp3Job } from './protocol.js'

/**
 * Bit rate in kbit/s by number of channels. A higher rate does not improve speech at 8 kHz; the
 * maximum of MPEG 2.5 is 64.
 */
const KBITS = { 1: 32, 2: 64 } as const

// The encoder passes the job when it starts this thread.
await encode(workerData as Mp3Job)

async function encode({ source, target, mix }: Mp3Job): Promise<void> {
  const media = await openRecordingMedia(source, mix)
  if (media === undefined) throw new Error('there is no recording to encode')
  const channels = media.channels === 2 ? 2 : 1
  const encoder = await createMp3Encoder()
  encoder.configure({
    channels,
    sampleRate: media.rate,
    outputSampleRate: 8_000,
    bitrate: KBITS[channels],
  })
  const file = await open(`${target}.tmp`, 'w')
  try {
    // The result is the encoder's own memory, which the next call overwrites, so it is written
    // first.
    for await (const samples of channelSamples(media, channels))
      await file.writeFile(encoder.encode(samples))
    await file.writeFile(encoder.finalize())
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${target}.tmp`, target)
}

/** Yields the samples of each channel, between -1 and 1. */
async function* channelSamples(
  media: RecordingMedia,
  channels: number,
): AsyncGenerator<readonly Float32Array[]> {
  const frame = 2 * channels
  let rest = Buffer.alloc(0)
  for await (const chunk of media.read(media.dataStart, media.bytes - 1)) {
    const bytes = Buffer.concat([rest, chunk])
    const frames = Math.floor(bytes.length / frame)
    rest = bytes.subarray(frames * frame)
    yield Array.from({ length: channels }, (_, channel) =>
      Float32Array.from(
        { length: frames },
        (_sample, index) => bytes.readInt16LE(index * frame + 2 * channel) / 32_768,
      ),
    )
  }
}
