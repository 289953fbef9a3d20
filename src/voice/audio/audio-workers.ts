/**
 * Runs audio work on a few worker threads with one queue, which is fair between accounts and then between
 * their calls. A job whose signal aborts is not started. A thread that dies is replaced, and its job is
 * retried once: a job that kills two threads is at fault itself.
 */
import { Worker } from 'node:worker_threads'
import { reasonOf } from '../../platform/async/abort.js'
import { type Claim, FairQueue } from '../../platform/async/fair-queue.js'
import { AdapterError } from '../../platform/errors.js'
import { UnreadableAudioError } from './audio-block.js'
import type { AudioAnswer, AudioTask } from './worker/protocol.js'

export interface AudioWorkerOptions {
  readonly count: number
  /** The built worker; the default is next to this file. */
  readonly url?: URL | undefined
  /** Maximum time for a job, ms; the thread of a longer job is terminated. */
  readonly timeoutMs: number
  /** Maximum number of queued jobs of one account. */
  readonly maxWaiting?: number
}

interface Job {
  readonly task: AudioTask
  readonly claim: Claim
  readonly signal: AbortSignal
  readonly resolve: (wav: Uint8Array) => void
  readonly reject: (error: Error) => void
  attempts: number
}
interface Thread {
  readonly worker: Worker
  job: { readonly id: number; readonly of: Job; timer: NodeJS.Timeout } | undefined
}

const MAX_WAITING = 500
const MAX_ATTEMPTS = 2
/** Maximum time for the rest of an aborted job, ms. Most jobs end sooner than a new thread would start. */
const UNWANTED_LIMIT_MS = 1_000

export class AudioWorkers implements AsyncDisposable {
  readonly #options: AudioWorkerOptions
  readonly #threads = new Set<Thread>()
  readonly #waiting = new FairQueue<Job>()
  #lastId = 0
  #isDisposed = false

  constructor(options: AudioWorkerOptions) {
    this.#options = options
  }

  /**
   * Queues a task; `claim.group` is the account, its member the call or file. Resolves with the content of a
   * telephone WAV file. Rejects with UnreadableAudioError, AdapterError or the signal's reason.
   */
  run(task: AudioTask, claim: Claim, signal: AbortSignal): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) reject(reasonOf(signal))
      else if (this.#isDisposed) reject(new AdapterError('the audio threads are closed'))
      else if (this.#waiting.waitingOf(claim.group) >= (this.#options.maxWaiting ?? MAX_WAITING))
        reject(new AdapterError('too much audio work is waiting', { isRetryable: true }))
      else this.#add({ task, claim, signal, resolve, reject, attempts: 0 })
    })
  }

  #add(added: Job): void {
    const onAbort = () => {
      this.#abandon(job)
    }
    const settled = <Value>(settle: (value: Value) => void) => {
      return (value: Value) => {
        added.signal.removeEventListener('abort', onAbort)
        settle(value)
      }
    }
    const job = { ...added, resolve: settled(added.resolve), reject: settled(added.reject) }
    job.signal.addEventListener('abort', onAbort)
    this.#waiting.push(job, job.claim)
    this.#next()
  }

  #abandon(job: Job): void {
    this.#waiting.remove(job)
    job.reject(reasonOf(job.signal))
    for (const thread of this.#threads) {
      if (thread.job?.of !== job) continue
      clearTimeout(thread.job.timer)
      thread.job.timer = this.#limit(thread, UNWANTED_LIMIT_MS)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    const error = new AdapterError('the audio threads are closed')
    for (const job of this.#waiting.clear()) job.reject(error)
    const threads = [...this.#threads]
    for (const thread of threads) this.#takeJob(thread)?.reject(error)
    await Promise.all(threads.map(({ worker }) => worker.terminate()))
  }

  #next(): void {
    if (this.#isDisposed || !this.#hasRoom()) return
    const job = this.#waiting.shift()
    if (job === undefined) return
    const thread = this.#idleThread() ?? this.#startThread()
    this.#lastId += 1
    job.attempts += 1
    const timer = this.#limit(thread, this.#options.timeoutMs)
    thread.job = { id: this.#lastId, of: job, timer }
    thread.worker.postMessage({ id: this.#lastId, task: job.task })
  }

  /** Terminates the thread if its job takes longer. */
  #limit(thread: Thread, limitMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#takeJob(thread)?.reject(new AdapterError('audio work took too long'))
      this.#drop(thread)
    }, limitMs)
  }

  #hasRoom(): boolean {
    return this.#threads.size < this.#options.count || this.#idleThread() !== undefined
  }

  #idleThread(): Thread | undefined {
    for (const thread of this.#threads) if (thread.job === undefined) return thread
    return undefined
  }

  #startThread(): Thread {
    const worker = new Worker(
      this.#options.url ?? new URL('./worker/audio-worker.js', import.meta.url),
    )
    const thread: Thread = { worker, job: undefined }
    // An idle thread must not keep the process alive; a job's timer does.
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
    if (job !== undefined && !job.signal.aborted && job.attempts < MAX_ATTEMPTS)
      this.#waiting.push(job, job.claim)
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
