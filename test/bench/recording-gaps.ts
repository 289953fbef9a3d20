/** Counts the gaps in a recording of a steady tone. Pure. */

export interface PlayedTone {
  /** The time from the first to the last block that holds the tone. */
  readonly ms: number
  /** The number of 20 ms blocks in between that do not hold the tone. */
  readonly gaps: number
}

const RATE = 8_000
const BLOCK = RATE / 50
const HEADER_BYTES = 44
/** The threshold of the tone: far below the tone, far above what a codec makes of silence. */
const LOUD = 2_000

/** Finds the tone in the channel that has it. */
export function playedTone(wav: Buffer): PlayedTone {
  const channels = wav.readUInt16LE(22)
  const tones = Array.from({ length: channels }, (_, channel) => toneOf(wav, channels, channel))
  return tones.reduce((best, tone) => (tone.ms > best.ms ? tone : best))
}

function toneOf(wav: Buffer, channels: number, channel: number): PlayedTone {
  const samples = (wav.length - HEADER_BYTES) / (2 * channels)
  const loud = Array.from({ length: Math.floor(samples / BLOCK) }, (_, block) => {
    for (let index = block * BLOCK; index < (block + 1) * BLOCK; index += 1)
      if (wav.readInt16LE(HEADER_BYTES + 2 * (index * channels + channel)) > LOUD) return true
    return false
  })
  const first = loud.indexOf(true)
  if (first < 0) return { ms: 0, gaps: 0 }
  const heard = loud.slice(first, loud.lastIndexOf(true) + 1)
  return { ms: 20 * heard.length, gaps: heard.filter((isLoud) => !isLoud).length }
}
