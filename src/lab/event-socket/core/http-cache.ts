/**
 * Cache of files by URL, like mod_http_cache: files are downloaded once for playback, and uploaded by PUT.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { get, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Logger } from '../../../platform/log.js'

const SCHEME = 'http_cache://'
const LIMIT_MS = 30_000
/** Maximum number of cached files; the oldest is deleted. */
const MAX_FILES = 1_000

export class HttpCache implements AsyncDisposable {
  readonly #log: Logger
  readonly #files = new Map<string, Promise<string>>()
  #folder: Promise<string> | undefined
  #fetched = 0

  constructor(log: Logger) {
    this.#log = log
  }

  /** Resolves with the local path of a file URL once it is downloaded; returns any other text unchanged. */
  async localise(text: string): Promise<string> {
    if (!text.startsWith(SCHEME)) return text
    const url = text.slice(SCHEME.length)
    const fetched = this.#files.get(url) ?? this.#fetch(url)
    this.#files.set(url, fetched)
    await this.#dropOldest()
    try {
      return await fetched
    } catch (err) {
      this.#files.delete(url)
      this.#log.error({ err }, 'could not fetch a file that shall be played')
      return text
    }
  }

  /** Uploads a file. Resolves with the status code of the response. */
  async put(url: string, path: string): Promise<number> {
    const { size } = await stat(path)
    const headers = { 'content-type': 'audio/x-wav', 'content-length': size }
    const sending = request(url, { method: 'PUT', headers, timeout: LIMIT_MS })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sending.once('response', resolve)
      sending.once('error', reject)
      sending.once('timeout', () => sending.destroy(new Error('no answer to a PUT')))
    })
    const [response] = await Promise.all([answered, pipeline(createReadStream(path), sending)])
    response.resume()
    return response.statusCode ?? 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const folder = await this.#folder
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }

  async #dropOldest(): Promise<void> {
    const [oldest] = this.#files
    if (oldest === undefined || this.#files.size <= MAX_FILES) return
    const [url, fetched] = oldest
    this.#files.delete(url)
    // A file that is being played stays readable, because it is open.
    const path = await fetched.catch(() => undefined) // It could not be fetched: nothing is there.
    if (path !== undefined) await rm(path, { force: true })
  }

  async #fetch(url: string): Promise<string> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'trunkline-lab-'))
    const path = join(await this.#folder, `${this.#fetched++}${extname(url)}`)
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const asking = get(url, { timeout: LIMIT_MS }, resolve)
      asking.once('error', reject)
      asking.once('timeout', () => asking.destroy(new Error('no answer to a GET')))
    })
    if (response.statusCode !== 200) {
      response.resume()
      throw new Error(`GET answered ${String(response.statusCode)}`)
    }
    await pipeline(response, createWriteStream(path))
    return path
  }
}
