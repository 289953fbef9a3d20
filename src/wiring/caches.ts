import { join } from 'node:path'
import type { Base } from './base.js'

/** A local cache: its folder and maximum size. */
export interface CachePlace {
  readonly directory: string
  readonly maxCacheBytes: number
}

const MEBIBYTE = 1024 * 1024

/**
 * Locations of all caches. Their content can be recreated at any time, so every server has its own, and a cache
 * may be emptied while no server uses the folder.
 */
export function cachePlaces({ config, dataDir }: Pick<Base, 'config' | 'dataDir'>) {
  const place = (folder: string, maxCacheBytes: number): CachePlace => ({
    directory: join(dataDir, folder),
    maxCacheBytes,
  })
  return {
    /** Media played by documents, fetched and converted. */
    media: place('media', 2_048 * MEBIBYTE),
    /** Speech of the built-in voices. */
    speech: place('speech', 512 * MEBIBYTE),
    /** Speech of accounts' own engines. */
    httpSpeech: place('speech-http', 512 * MEBIBYTE),
    /** Speech of the local command. */
    commandSpeech: place('speech-command', 128 * MEBIBYTE),
    /** Copies of files in the bucket, and files derived from them. */
    files: place('files-cache', config.fileCacheBytes),
  }
}
