/** Creates WAV files of rare formats, independently of the reader under test. */

const STEPS = Array.from({ length: 89 }, (_, index) => stepOf(index))

/** Step sizes grow by a tenth each; the table has the recommendation's rounding. */
function stepOf(index: number): number {
  const table =
    '7 8 9 10 11 12 13 14 16 17 19 21 23 25 28 31 34 37 41 45 50 55 60 66 73 80 88 97 107 118 130 143 157 173 190 209 230 253 279 307 337 371 408 449 494 544 598 658 724 796 876 963 1060 1166 1282 1411 1552 1707 1878 2066 2272 2499 2749 3024 3327 3660 4026 4428 4871 5358 5894 6484 7132 7845 8630 9493 10442 11487 12635 13899 15289 16818 18500 20350 22385 24623 27086 29794 32767'
  return Number(table.split(' ')[index])
}

interface ImaOptions {
  readonly rate: number
  readonly channels: number
  readonly blockBytes: number
}

/** An IMA ADPCM file (format 17) with identical channels. */
export function imaWav(samples: Float32Array, { rate, channels, blockBytes }: ImaOptions): Buffer {
  const perBlock = ((blockBytes - 4 * channels) * 2) / channels + 1
  const blocks: Buffer[] = []
  let step = 0
  for (let first = 0; first < samples.length; first += perBlock) {
    const block = Buffer.alloc(blockBytes)
    const pcm = Array.from({ length: perBlock }, (_, n) =>
      Math.round((samples[first + n] ?? 0) * 32_767),
    )
    let value = pcm[0] ?? 0
    for (let channel = 0; channel < channels; channel += 1) {
      block.writeInt16LE(value, 4 * channel)
      block[4 * channel + 2] = step
    }
    for (let n = 1; n < perBlock; n += 1) {
      const [code, next] = encoded((pcm[n] ?? 0) - value, STEPS[step] ?? 7)
      value = Math.max(-32_768, Math.min(32_767, value + next))
      step = Math.max(0, Math.min(88, step + ([-1, -1, -1, -1, 2, 4, 6, 8][code & 7] ?? 0)))
      const [group, place] = [Math.floor((n - 1) / 8), (n - 1) % 8]
      for (let channel = 0; channel < channels; channel += 1) {
        const at = 4 * channels + 4 * (group * channels + channel) + (place >> 1)
        block[at] = (block[at] ?? 0) | (code << (place % 2 === 0 ? 0 : 4))
      }
    }
    blocks.push(block)
  }
  const data = Buffer.concat(blocks)
  const head = Buffer.alloc(48)
  head.write('RIFF', 0)
  head.writeUInt32LE(40 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(20, 16)
  head.writeUInt16LE(17, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(Math.round((rate * blockBytes) / perBlock), 28)
  head.writeUInt16LE(blockBytes, 32)
  head.writeUInt16LE(4, 34)
  head.writeUInt16LE(2, 36)
  head.writeUInt16LE(perBlock, 38)
  head.write('data', 40)
  head.writeUInt32LE(data.length, 44)
  return Buffer.concat([head, data])
}

/** The code of a difference, and the difference that it decodes to. */
function encoded(wanted: number, step: number): readonly [code: number, made: number] {
  let rest = Math.abs(wanted)
  let code = 0
  let made = step >> 3
  for (const [bit, share] of [
    [4, step],
    [2, step >> 1],
    [1, step >> 2],
  ] as const)
    if (rest >= share) {
      code |= bit
      rest -= share
      made += share
    }
  return wanted < 0 ? [code | 8, -made] : [code, made]
}

const GUID_REST = Buffer.from('f3acd3118cd100c04f8edb8a', 'hex')

/** Sony Wave64 with 16-bit mono samples; `stated` is the stated length of its data chunk. */
export function w64(samples: Float32Array, rate: number, stated?: number): Buffer {
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(rate, 4)
  format.writeUInt32LE(2 * rate, 8)
  format.writeUInt16LE(2, 12)
  format.writeUInt16LE(16, 14)
  const data = Buffer.alloc(2 * samples.length)
  for (const [n, sample] of samples.entries()) data.writeInt16LE(Math.round(sample * 32_767), 2 * n)
  const chunk = (id: string, content: Buffer, length = 24 + content.length): Buffer => {
    const head = Buffer.alloc(24)
    head.write(id, 0)
    GUID_REST.copy(head, 4)
    head.writeBigUInt64LE(BigInt(length), 16)
    return Buffer.concat([head, content, Buffer.alloc((8 - (content.length % 8)) % 8)])
  }
  const chunks = [
    chunk('fmt ', format),
    chunk('junk', Buffer.alloc(3)),
    chunk('data', data, stated),
  ]
  const head = Buffer.alloc(40)
  head.write('riff', 0)
  Buffer.from('2e91cf11a5d628db04c10000', 'hex').copy(head, 4)
  head.write('wave', 24)
  GUID_REST.copy(head, 28)
  const file = Buffer.concat([head, ...chunks])
  file.writeBigUInt64LE(BigInt(file.length), 16)
  return file
}
