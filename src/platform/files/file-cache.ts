/**
 * Caches files by key in one folder. A file is whole or absent. Above the total size limit the least recently
 * used files are deleted, except those that a caller may be about to open.
 */
import { randomUUID } from 'node:crypto'
import {
  copyFile,
  link,
  mkdir,
  readdir,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Clock } from '../clock.js'

export interface FileCacheOptions {
  readonly directory: string
  readonly maxBytes: number
  readonly clock: Clock
  /** The ending that every file's name has besides its key; `.wav` by default. */
  readonly extension?: string
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
/** Extensions of files that a killed process left unfinished. */
const UNFINISHED = /\.(part|tmp)$/
/** Error codes of `link` where the file system allows no second name. */
const LINKLESS = ['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK']
/** Minimum time that a file is kept after use, ms: its path is returned before it is opened. */
const KEPT_AFTER_USE_MS = 60_000

export class FileCache {
  readonly #options: FileCacheOptions
  readonly #directory: string
  readonly #extension: string
  /** Cached files, least recently used first. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  #loaded: Promise<void> | undefined

  constructor(options: FileCacheOptions) {
    this.#options = options
    this.#directory = resolve(options.directory)
    this.#extension = options.extension ?? EXTENSION
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

  add(key: string, content: Uint8Array): Promise<CachedFile> {
    return this.make(key, (path) => writeFile(path, content))
  }

  /** Adds the file that `write` makes at the path that it is given. Rejects as `write` does. */
  async make(key: string, write: (path: string) => Promise<void>): Promise<CachedFile> {
    await this.#load()
    const unfinished = `${this.#path(key)}.${randomUUID()}.part`
    try {
      await write(unfinished)
      await rename(unfinished, this.#path(key))
    } finally {
      await rm(unfinished, { force: true })
    }
    return await this.#note(key)
  }

  /** Adds the whole file at `path`, which stays there too. */
  keep(key: string, path: string): Promise<CachedFile> {
    return this.make(key, async (unfinished) => {
      try {
        await link(path, unfinished)
      } catch (error) {
        if (!isOneOf(LINKLESS, error)) throw error
        await copyFile(path, unfinished)
      }
    })
  }

  /** The keys of all files. */
  async keys(): Promise<readonly string[]> {
    await this.#load()
    return [...this.#entries.keys()]
  }

  async remove(key: string): Promise<void> {
    await this.#load()
    this.#forget(key)
    await rm(this.#path(key), { force: true })
  }

  async #note(key: string): Promise<CachedFile> {
    const path = this.#path(key)
    const { size } = await stat(path)
    const now = this.#options.clock.now()
    // The time of use, which the next process reads; a linked file has the time of its making.
    await utimes(path, now / 1000, now / 1000)
    this.#forget(key)
    this.#remember(key, { bytes: size, usedAt: now })
    await this.#evict()
    return { path, bytes: size }
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
      const isUnfinished = UNFINISHED.test(name)
      if (isUnfinished) await rm(path, { force: true })
      if (isUnfinished || !name.endsWith(this.#extension)) continue
      const { size, mtimeMs } = await stat(path)
      const key = name.slice(0, name.length - this.#extension.length)
      found.push([key, { bytes: size, usedAt: mtimeMs }])
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
    return join(this.#directory, `${key}${this.#extension}`)
  }
}

function isOneOf(codes: readonly string[], error: unknown): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
