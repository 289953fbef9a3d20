/**
 * Keeps files by key in one folder. A file is whole or absent, and together they have a size limit:
 * the files unused for longest are deleted, but none that a caller may be about to play.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Clock } from '../clock.js'

export interface FileCacheOptions {
  readonly directory: string
  readonly maxBytes: number
  readonly clock: Clock
}

export interface CachedFile {
  /** The absolute path of the folder. */
  readonly path: string
  readonly bytes: number
}

interface Entry {
  readonly bytes: number
  usedAt: number
}

const EXTENSION = '.wav'
const UNFINISHED = '.part'
/**
 * The time for which a file is kept after use. It is handed out before it is opened, and is surely
 * open by then.
 */
const KEPT_AFTER_USE_MS = 60_000

export class FileCache {
  readonly #options: FileCacheOptions
  readonly #directory: string
  /** The cached files in order of use, the longest unused first. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  #loaded: Promise<void> | undefined

  constructor(options: FileCacheOptions) {
    this.#options = options
    this.#directory = resolve(options.directory)
  }

  /** Finds a file that this or an earlier process made. `key` is a file name without its ending. */
  async find(key: string): Promise<CachedFile | undefined> {
    await this.#load()
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    const now = this.#options.clock.now()
    try {
      // Says that it is still there, and tells the next process when it was last used.
      await utimes(this.#path(key), now / 1000, now / 1000)
    } catch {
      this.#forget(key) // Somebody emptied the folder; it is made again.
      return undefined
    }
    this.#entries.delete(key)
    this.#entries.set(key, { ...entry, usedAt: now })
    return { path: this.#path(key), bytes: entry.bytes }
  }

  async add(key: string, content: Uint8Array): Promise<CachedFile> {
    await this.#load()
    const path = this.#path(key)
    const unfinished = `${path}.${randomUUID()}${UNFINISHED}`
    try {
      await writeFile(unfinished, content)
      await rename(unfinished, path)
    } finally {
      await rm(unfinished, { force: true })
    }
    this.#forget(key)
    this.#remember(key, { bytes: content.length, usedAt: this.#options.clock.now() })
    await this.#evict()
    return { path, bytes: content.length }
  }

  #load(): Promise<void> {
    this.#loaded ??= this.#readFolder()
    return this.#loaded
  }

  async #readFolder(): Promise<void> {
    await mkdir(this.#directory, { recursive: true })
    const found: [string, Entry][] = []
    for (const name of await readdir(this.#directory)) {
      const path = join(this.#directory, name)
      if (name.endsWith(UNFINISHED)) await rm(path, { force: true })
      if (!name.endsWith(EXTENSION)) continue
      const { size, mtimeMs } = await stat(path)
      found.push([name.slice(0, -EXTENSION.length), { bytes: size, usedAt: mtimeMs }])
    }
    found.sort(([, a], [, b]) => a.usedAt - b.usedAt)
    for (const [key, entry] of found) this.#remember(key, entry)
  }

  async #evict(): Promise<void> {
    const spared = this.#options.clock.now() - KEPT_AFTER_USE_MS
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#options.maxBytes || entry.usedAt > spared) return
      this.#forget(key)
      await rm(this.#path(key), { force: true })
    }
  }

  #remember(key: string, entry: Entry): void {
    this.#entries.set(key, entry)
    this.#bytes += entry.bytes
  }

  #forget(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }

  #path(key: string): string {
    return join(this.#directory, `${key}${EXTENSION}`)
  }
}
