/** The rules for an RCS asset of a brand. Pure. */
import type { Tables } from '../data/tables.js'
import { type Problem, problem } from '../model/registry-error.js'

export interface WantedAsset {
  readonly assetName: string
  readonly assetType: string
  readonly assetUrl: string
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,49}$/u

interface ImageSize {
  readonly mimeType: 'image/png' | 'image/jpeg'
  readonly width: number
  readonly height: number
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const JPEG = Buffer.from('ffd8', 'hex')
/** Length of a PNG's head, bytes: signature, length and type of the header chunk, width, height. */
const PNG_HEAD_BYTES = 24

export function checkAsset({ assetName, assetType, assetUrl }: WantedAsset, tables: Tables) {
  const isHttps = URL.canParse(assetUrl) && new URL(assetUrl).protocol === 'https:'
  const checks: readonly [boolean, Problem][] = [
    [
      NAME.test(assetName),
      problem(572, ['assetName'], '1 to 50 letters, digits, spaces, dots, dashes, underscores'),
    ],
    [
      tables.assetTypes[assetType] !== undefined,
      problem(566, ['assetType'], `one of ${Object.keys(tables.assetTypes).join(', ')}`),
    ],
    [isHttps, problem(573, ['assetUrl'], 'the URL must be a public https one')],
  ]
  return checks.filter(([isRight]) => !isRight).map(([, each]) => each)
}

export interface CheckedImage {
  readonly mimeType: string
  readonly problems: readonly Problem[]
}

/**
 * Checks an image. Problems: 544 too big, 546 neither PNG nor JPEG, 547 wrong width or height for
 * its type, 566 broken.
 */
export function checkImage(bytes: Buffer, assetType: string, tables: Tables): CheckedImage {
  const bad = (code: number, why: string): CheckedImage => ({
    mimeType: '',
    problems: [problem(code, ['assetUrl'], why)],
  })
  const wanted = tables.assetTypes[assetType]
  if (wanted === undefined) return bad(566, 'there is no such type')
  if (bytes.length > wanted.maxBytes) return bad(544, `at most ${wanted.maxBytes} bytes`)
  const size = imageSize(bytes)
  if (size === undefined) return bad(546, 'the image is neither PNG nor JPEG')
  if (size === 'broken') return bad(566, 'the image is broken')
  const isAsWanted = size.width === wanted.width && size.height === wanted.height
  return isAsWanted
    ? { mimeType: size.mimeType, problems: [] }
    : bad(547, `it is ${size.width} × ${size.height}, not ${wanted.width} × ${wanted.height}`)
}

/**
 * The dimensions of an image; undefined for another format; `broken` when the start is valid and
 * the rest is not.
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
    // The markers C4, C8 and CC are in the range, but start no frame.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [head.readUInt16BE(at + 5), head.readUInt16BE(at + 7)]
      return { mimeType: 'image/jpeg', width, height }
    }
    at += 2 + head.readUInt16BE(at + 2)
  }
  return 'broken'
}
