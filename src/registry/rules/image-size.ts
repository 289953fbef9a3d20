/** The dimensions of a PNG or JPEG, from its first bytes. Pure. */

export interface ImageSize {
  readonly mimeType: 'image/png' | 'image/jpeg'
  readonly width: number
  readonly height: number
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const JPEG = Buffer.from('ffd8', 'hex')
/** The bytes of a PNG's head: signature, length and type of the header chunk, width, height. */
const PNG_HEAD_BYTES = 24

/**
 * The dimensions of an image; undefined for another format; `broken` when it begins like an image
 * and does not go on as one.
 */
export function imageSize(head: Buffer): ImageSize | 'broken' | undefined {
  if (head.subarray(0, PNG.length).equals(PNG)) {
    if (head.length < PNG_HEAD_BYTES || head.toString('latin1', 12, 16) !== 'IHDR') return 'broken'
    const [width, height] = [head.readUInt32BE(16), head.readUInt32BE(20)]
    return { mimeType: 'image/png', width, height }
  }
  return head.subarray(0, JPEG.length).equals(JPEG) ? jpegSize(head) : undefined
}

/** Walks the markers to the start of the frame (ITU-T T.81 B.2.2), which has the dimensions. */
function jpegSize(head: Buffer): ImageSize | 'broken' {
  let at = JPEG.length
  while (at + 9 <= head.length && head[at] === 0xff) {
    const marker = head[at + 1] ?? 0
    // The markers C4, C8 and CC are in the range and are no frames.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [head.readUInt16BE(at + 5), head.readUInt16BE(at + 7)]
      return { mimeType: 'image/jpeg', width, height }
    }
    at += 2 + head.readUInt16BE(at + 2)
  }
  return 'broken'
}
