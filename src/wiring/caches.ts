import { join } from 'node:path'
import type { Base } from './base.js'

/** A cache on this machine: its folder and maximum size. */
export interface CachePlace {
  readonly directory: string
  readonly maxCacheBytes: number
}

const MEBIBYTE = 1024 * 1024

/**
 * The places of all caches. What is in them can be had again at any time, so every server has its
 * own, and a cache may be emptied while no server runs on the folder.
 */
export function cachePlaces({ config, dataDir }: Pick<Base, 'config' | 'dataDir'>) {
  const place = (folder: string, maxCacheBytes: number): CachePlace => ({
    directory: join(dataDir, folder),
    maxCacheBytes,
  })
  return {
    /** Media that documents play, fetched and converted. */
    media: place('media', 2_048 * MEBIBYTE),
    /** Speech of the built-in voices. */
    speech: place('speech', 512 * MEBIBYTE),
    /** Speech of accounts' own speech engines. */
    httpSpeech: place('speech-http', 512 * MEBIBYTE),
    /** Copies of the bucket's files, and what was made of them. */
    files: place('files-cache', config.fileCacheBytes),
  }
}
