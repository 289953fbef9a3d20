/** What a set was made of, so that nobody changes the frozen part unnoticed. */
import { createHash } from 'node:crypto'
import type { Clip } from './clip.js'
import type { ClipSet } from './sets/clip-set.js'

/** The frozen part as it was before the detector was tuned. Written once, then only compared. */
const FROZEN_MANIFEST = {
  set: '12bb69c2358ae6bd',
  clips: 657,
  audio: '2ddf6524960f87ac',
}

export interface Manifest {
  /** Digest of the set's voices, texts, packages and seed. */
  readonly set: string
  readonly clips: number
  /** Digest of the clips' sources, labels and samples, before noise and codec. */
  readonly audio: string
}

export function manifestOf(set: ClipSet, clips: readonly Clip[]): Manifest {
  const hash = createHash('sha256')
  for (const { audio, ...label } of clips)
    hash.update(JSON.stringify(label)).update(Int16Array.from(audio, (one) => 32_767 * one))
  return {
    set: digest(createHash('sha256').update(JSON.stringify(set))),
    clips: clips.length,
    audio: digest(hash),
  }
}

export function isCommitted(manifest: Manifest): boolean {
  return JSON.stringify(manifest) === JSON.stringify(FROZEN_MANIFEST)
}

function digest(hash: ReturnType<typeof createHash>): string {
  return hash.digest('hex').slice(0, 16)
}
