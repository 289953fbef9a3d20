import { rm, stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { SerialQueue } from '../../../platform/async/serial-queue.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Mp3Job } from './protocol.js'

export interface Mp3EncoderOptions {
  /** URL of the built worker; the default is the one beside this file. */
  readonly url?: URL | undefined
  readonly maxWaiting?: number
}

/** An MP3 file to make. `source` opens the finished recording when its job starts. */
export interface WantedMp3 extends Omit<Mp3Job, 'source'> {
  readonly source: () => Promise<string | undefined>
}

/** Time limit for one file, ms. A recording of 24 hours takes about ten minutes. */
const LIMIT_MS = 30 * 60_000
const MAX_WAITING = 100

/**
 * Encodes recordings to MP3, one at a time, each in a worker thread, so that calls are not delayed.
 * Concurrent requests for one file share the work. The file is kept until its recording is deleted.
 */
export class Mp3Encoder implements AsyncDisposable {
  readonly #options: Mp3EncoderOptions
  readonly #running = new Map<string, Promise<void>>()
  readonly #turns = new SerialQueue()
  #worker: Worker | undefined
  #isDisposed = false

  constructor(options: Mp3EncoderOptions = {}) {
    this.#options = options
  }

  /** Resolves once `target` is complete. Rejects with AdapterError. */
  async make(job: WantedMp3): Promise<void> {
    if (await exists(job.target)) return
    const running = this.#running.get(job.target) ?? this.#enqueue(job)
    await running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    await this.#worker?.terminate()
    await Promise.allSettled(this.#running.values())
  }

  #enqueue(job: WantedMp3): Promise<void> {
    if (this.#running.size >= (this.#options.maxWaiting ?? MAX_WAITING))
      throw new AdapterError('too many recordings are being encoded', { isRetryable: true })
    const run = this.#turns
      .run(() => this.#encode(job))
      .finally(() => this.#running.delete(job.target))
    this.#running.set(job.target, run)
    return run
  }

  async #encode({ source, target, mix }: WantedMp3): Promise<void> {
    if (this.#isDisposed) throw new AdapterError('the encoder has been ended')
    try {
      const found = await source()
      if (found === undefined) throw new Error('there is no recording to encode')
      await this.#runThread({ source: found, target, mix })
    } catch (cause) {
      await rm(`${target}.tmp`, { force: true })
      throw new AdapterError('a recording could not be encoded', { cause })
    }
  }

  #runThread(job: Mp3Job): Promise<void> {
    const url = this.#options.url ?? new URL('./mp3-worker.js', import.meta.url)
    const worker = new Worker(url, { workerData: job, name: 'mp3' })
    this.#worker = worker
    const timer = setTimeout(() => void worker.terminate(), LIMIT_MS)
    return new Promise<void>((resolve, reject) => {
      let failure: unknown
      worker.on('error', (error) => {
        failure = error
      })
      worker.on('exit', (code) => {
        clearTimeout(timer)
        this.#worker = undefined
        if (code === 0) resolve()
        else reject(new Error('the encoding thread ended early', { cause: failure }))
      })
    })
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}
