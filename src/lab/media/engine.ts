/** Starts the media thread and exchanges messages with it for the main thread. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type Deferred, deferred } from '../../platform/async/deferred.js'
import { EndpointHandle } from './endpoint-handle.js'
import {
  type EndpointEvents,
  type MediaEndpoint,
  type MediaRoom,
  NO_STATS,
} from './model/media-endpoint.js'
import {
  type EngineStats,
  MediaClosedError,
  type MediaEngine,
  type MediaEngineOptions,
  NoPortError,
} from './model/media-engine.js'
import type {
  EndpointCommand,
  EndpointReport,
  ThreadCommand,
  ThreadOptions,
  ThreadReport,
} from './model/thread-messages.js'
import { PostBox } from './post-box.js'

/** Time within which recordings must be written at shutdown; then the thread is terminated, ms. */
const SHUT_DOWN_MS = 3000
/** Time limit for the thread's start, ms: loading its code on a busy machine takes a second or two. */
const START_MS = 10_000

/** Resolves once the media thread is running; rejects when it cannot start. */
export async function createMediaEngine(options: MediaEngineOptions): Promise<MediaEngine> {
  const file = options.workerFile ?? new URL('./worker.js', import.meta.url)
  const { host, rtpPorts, mediaRelays = [] } = options
  const threadOptions: ThreadOptions = { host, rtpPorts, mediaRelays }
  const worker = new Worker(file, { workerData: threadOptions, name: 'media' })
  await waitUntilRunning(worker)
  return new Engine(worker, options)
}

async function waitUntilRunning(worker: Worker): Promise<void> {
  const signal = AbortSignal.timeout(START_MS)
  try {
    await once(worker, 'message', { signal }) // rejects at 'error', too
  } catch (error) {
    await worker.terminate()
    throw new Error('the media thread did not start', { cause: error })
  }
}

interface Opening {
  readonly events: EndpointEvents
  readonly result: Deferred<MediaEndpoint>
}

class Engine implements MediaEngine {
  readonly #worker: Worker
  readonly #commands: PostBox<ThreadCommand>
  readonly #options: MediaEngineOptions
  readonly #openings = new Map<number, Opening>()
  readonly #endpoints = new Map<number, EndpointHandle>()
  readonly #requests = new Map<number, Deferred<EngineStats>>()
  #lastNumber = 0
  readonly #exited: Promise<void>
  #state: 'up' | 'shutting-down' | 'over' = 'up'

  constructor(worker: Worker, options: MediaEngineOptions) {
    this.#worker = worker
    this.#options = options
    const exited: Deferred = deferred()
    this.#exited = exited.done
    this.#commands = new PostBox((commands) => {
      worker.postMessage(commands)
    })
    worker.on('message', (reports: readonly ThreadReport[]) => {
      for (const report of reports) this.#onReport(report)
    })
    worker.on('error', (error: unknown) => {
      this.#fail(error instanceof Error ? error : new Error(String(error)))
    })
    worker.on('exit', (code) => {
      this.#fail(new Error(`the media thread ended with ${code}`))
      exited.resolve()
    })
  }

  open(events: EndpointEvents): Promise<MediaEndpoint> {
    if (this.#state !== 'up') return Promise.reject(goneError())
    const endpoint = ++this.#lastNumber
    const result = deferred<MediaEndpoint>()
    this.#openings.set(endpoint, { events, result })
    this.#send({ type: 'open', endpoint })
    return result.done
  }

  openRoom(events: Pick<EndpointEvents, 'onFailed'>): MediaRoom {
    if (this.#state !== 'up') throw goneError()
    const room = ++this.#lastNumber
    this.#send({ type: 'open-room', room })
    return this.#keep(room, 0, events)
  }

  stats(): Promise<EngineStats> {
    if (this.#state !== 'up') return Promise.reject(goneError())
    const request = ++this.#lastNumber
    const answer = deferred<EngineStats>()
    this.#requests.set(request, answer)
    this.#send({ type: 'engine-stats', request })
    return answer.done
  }

  /** Closes all endpoints; recordings are complete afterwards. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state === 'up') {
      this.#state = 'shutting-down'
      this.#send({ type: 'shut-down' })
    }
    const timer = setTimeout(() => {
      void this.#worker.terminate()
    }, SHUT_DOWN_MS)
    await this.#exited
    clearTimeout(timer)
  }

  #onReport(report: ThreadReport): void {
    if (report.type === 'running') return
    if (report.type === 'engine-stats') {
      this.#requests.get(report.request)?.resolve(report.stats)
      this.#requests.delete(report.request)
      return
    }
    const { endpoint, report: one } = report
    if (one.type === 'opened' || one.type === 'open-failed') this.#onOpenAnswer(endpoint, one)
    else {
      if (one.type === 'closed') this.#onClosed(endpoint, one.error)
      const handle = this.#endpoints.get(endpoint)
      if (one.type === 'closed') this.#endpoints.delete(endpoint)
      handle?.onReport(one)
    }
  }

  #onOpenAnswer(
    id: number,
    answer: Extract<EndpointReport, { type: 'opened' | 'open-failed' }>,
  ): void {
    const opening = this.#openings.get(id)
    this.#openings.delete(id)
    if (opening === undefined) return
    if (answer.type === 'open-failed') {
      const ErrorType = answer.isNoPort ? NoPortError : Error
      opening.result.reject(new ErrorType(answer.error))
      return
    }
    opening.result.resolve(this.#keep(id, answer.port, opening.events))
  }

  #keep(id: number, port: number, events: EndpointEvents): EndpointHandle {
    const send = (command: EndpointCommand): void => {
      this.#send({ type: 'command', endpoint: id, command })
    }
    const handle = new EndpointHandle({ id, port, events, send })
    this.#endpoints.set(id, handle)
    return handle
  }

  #onClosed(endpoint: number, error: string | undefined): void {
    if (error === undefined) return
    const text = 'closed an endpoint after a fault in the media engine'
    if (this.#options.log === undefined) process.emitWarning(`${text}: ${error}`)
    else this.#options.log.error({ endpoint, fault: error }, text)
  }

  /** Settles everything that is pending, because the thread has ended. */
  #fail(error: Error): void {
    const state = this.#state
    if (state === 'over') return
    this.#state = 'over'
    const isFault = state === 'up'
    for (const { result } of this.#openings.values()) result.reject(goneError(error))
    for (const request of this.#requests.values()) request.reject(goneError(error))
    for (const handle of this.#endpoints.values())
      handle.settle(NO_STATS, isFault ? error.message : undefined)
    this.#openings.clear()
    this.#requests.clear()
    this.#endpoints.clear()
    if (isFault) this.#complain(error)
  }

  #complain(error: Error): void {
    const { onFailure, log } = this.#options
    log?.fatal({ err: error }, 'the media thread died')
    onFailure?.(error)
    if (log === undefined && onFailure === undefined) process.emitWarning(error)
  }

  #send(command: ThreadCommand): void {
    if (this.#state !== 'over') this.#commands.add(command)
  }
}

function goneError(cause?: Error): MediaClosedError {
  return new MediaClosedError('the media engine is not running', { cause })
}
