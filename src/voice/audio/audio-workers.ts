/**
 * Runs audio work on a few worker threads with one queue. A thread that dies is replaced. Its job
 * is given to another thread once: a job that kills two threads is itself at fault.
 */
import { Worker } from 'node:worker_threads'
import { AdapterError } from '../../platform/errors.js'
import { UnreadableAudioError } from './unreadable-audio-error.js'
import type { AudioAnswer, AudioTask } from './worker/protocol.js'

export interface AudioWorkerOptions {
  readonly count: number
  /** The built worker; the default is the one beside this file. */
  readonly url?: URL | undefined
  /** The limit of a job. The thread of a job that takes longer is ended. */
  readonly timeoutMs: number
  readonly maxWaiting?: number
}

interface Job {
  readonly task: AudioTask
  readonly resolve: (wav: Uint8Array) => void
  readonly reject: (error: Error) => void
  attempts: number
}
interface Thread {
  readonly worker: Worker
  job: { readonly id: number; readonly of: Job; readonly timer: NodeJS.Timeout } | undefined
}

const MAX_WAITING = 500
const MAX_ATTEMPTS = 2

export class AudioWorkers implements AsyncDisposable {
  readonly #options: AudioWorkerOptions
  readonly #threads = new Set<Thread>()
  readonly #waiting: Job[] = []
  #lastId = 0
  #isDisposed = false

  constructor(options: AudioWorkerOptions) {
    this.#options = options
  }

  /**
   * Runs a task; resolves to the content of a telephone WAV file. Rejects with UnreadableAudioError
   * or AdapterError.
   */
  run(task: AudioTask): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#isDisposed) reject(new AdapterError('the audio threads have been ended'))
      else if (this.#waiting.length >= (this.#options.maxWaiting ?? MAX_WAITING))
        reject(new AdapterError('too much audio work is waiting', { isRetryable: true }))
      else {
        this.#waiting.push({ task, resolve, reject, attempts: 0 })
        this.#next()
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    const error = new AdapterError('the audio threads have been ended')
    for (const job of this.#waiting.splice(0)) job.reject(error)
    const threads = [...this.#threads]
    for (const thread of threads) this.#takeJob(thread)?.reject(error)
    await Promise.all(threads.map(({ worker }) => worker.terminate()))
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#isDisposed) return
    const thread = this.#idleThread()
    if (thread === undefined) return
    const job = this.#waiting.shift()
    if (job === undefined) return
    this.#lastId += 1
    job.attempts += 1
    const timer = setTimeout(() => {
      this.#takeJob(thread)?.reject(new AdapterError('audio work took too long'))
      this.#drop(thread)
    }, this.#options.timeoutMs)
    thread.job = { id: this.#lastId, of: job, timer }
    thread.worker.postMessage({ id: this.#lastId, task: job.task })
  }

  #idleThread(): Thread | undefined {
    for (const thread of this.#threads) if (thread.job === undefined) return thread
    return this.#threads.size < this.#options.count ? this.#startThread() : undefined
  }

  #startThread(): Thread {
    const worker = new Worker(
      this.#options.url ?? new URL('./worker/audio-worker.js', import.meta.url),
    )
    const thread: Thread = { worker, job: undefined }
    // An idle thread keeps no process alive; a job's timer does.
    worker.unref()
    this.#threads.add(thread)
    worker.on('message', (answer: AudioAnswer) => {
      this.#onAnswer(thread, answer)
    })
    let cause: unknown
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      this.#onExit(thread, cause)
    })
    return thread
  }

  #onAnswer(thread: Thread, answer: AudioAnswer): void {
    if (thread.job?.id !== answer.id) return
    const job = this.#takeJob(thread)
    if (answer.type === 'done') job?.resolve(answer.wav)
    else if (answer.type === 'unreadable') job?.reject(new UnreadableAudioError(answer.message))
    else job?.reject(new AdapterError(`audio work failed: ${answer.message}`))
    this.#next()
  }

  #onExit(thread: Thread, cause: unknown): void {
    this.#threads.delete(thread)
    const job = this.#takeJob(thread)
    if (job !== undefined && job.attempts < MAX_ATTEMPTS) this.#waiting.unshift(job)
    else job?.reject(new AdapterError('the audio thread died of this work', { cause }))
    this.#next()
  }

  #takeJob(thread: Thread): Job | undefined {
    const { job } = thread
    thread.job = undefined
    if (job !== undefined) clearTimeout(job.timer)
    return job?.of
  }

  #drop(thread: Thread): void {
    this.#threads.delete(thread)
    void thread.worker.terminate().then(() => {
      this.#next()
    })
  }
}
