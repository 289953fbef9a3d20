/** The rules that an RCS asset of a brand must meet. Pure. */
import type { Tables } from '../data/tables.js'
import { type Problem, problem } from '../model/registry-error.js'
import { imageSize } from './image-size.js'

export interface WantedAsset {
  readonly assetName: string
  readonly assetType: string
  readonly assetUrl: string
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,49}$/u

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
 * The problem of an image: 544 too big, 546 neither PNG nor JPEG, 547 not the width and height of
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
