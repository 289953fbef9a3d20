/**
 * Runs machine detection in a worker thread, started with the first call. The neural network runs
 * every 20 ms for each call and would delay other calls on the main thread.
 */
import { Worker } from 'node:worker_threads'
import type { Logger } from '../../platform/log.js'
import {
  type AnsweredBy,
  type DetectorEvent,
  type DetectorParams,
  eventAtEnd,
  isLastEvent,
  type Stage,
} from '../amd/amd.js'
import type { Detection, Detections } from './detections.js'
import { SampleRing } from './sample-ring.js'
import type { DetectionCommand, DetectionReport } from './thread-messages.js'

export interface DetectionThreadOptions {
  readonly log: Logger
  /** URL of the built worker; the default is the one beside this file. */
  readonly url?: URL
}

const SAMPLES_PER_MS = 8

type OnEvents = (events: readonly DetectorEvent[]) => void

export class DetectionThread implements Detections, AsyncDisposable {
  readonly #options: DetectionThreadOptions
  readonly #open = new Map<number, HeardCall>()
  #worker: Worker | undefined
  #lastId = 0
  #isDisposed = false

  constructor(options: DetectionThreadOptions) {
    this.#options = options
  }

  open(params: DetectorParams, onEvents: OnEvents): HeardCall {
    const id = ++this.#lastId
    const call = new HeardCall(params, onEvents, (reason) => {
      this.#open.delete(id)
      if (reason !== undefined) this.#options.log.warn({ reason }, 'gave up a machine detection')
      this.#send({ type: 'close', id })
    })
    if (this.#isDisposed) return call
    this.#open.set(id, call)
    this.#worker ??= this.#start()
    this.#send({ type: 'open', id, params, memory: call.ring.memory })
    return call
  }

  /** Stops the thread. A detection in progress reports its final verdict. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    this.#open.clear()
    await this.#worker?.terminate()
  }

  #send(command: DetectionCommand): void {
    this.#worker?.postMessage(command)
  }

  #start(): Worker {
    const worker = new Worker(
      this.#options.url ?? new URL('./detection-worker.js', import.meta.url),
      { name: 'machine-detection' },
    )
    // Calls keep the process alive; the worker need not.
    worker.unref()
    worker.on('message', ({ id, events }: DetectionReport) => {
      this.#open.get(id)?.take(events)
    })
    worker.on('error', (err) => {
      this.#options.log.error({ err }, 'the machine detection thread died')
    })
    worker.on('exit', () => {
      this.#worker = undefined
      const left = [...this.#open.values()]
      this.#open.clear()
      if (!this.#isDisposed) for (const call of left) call.giveUp()
    })
    return worker
  }
}

/** The main-thread side of one detection. It times out as the detector in the thread would. */
export class HeardCall implements Detection {
  /** Audio that the thread has not processed yet. */
  readonly ring = new SampleRing()
  readonly #params: DetectorParams
  readonly #onEvents: OnEvents
  readonly #onOver: (reason: string | undefined) => void
  #samples = 0
  #stage: Stage = 'listening'
  #answeredBy: AnsweredBy | undefined
  #isOver = false

  constructor(
    params: DetectorParams,
    onEvents: OnEvents,
    onOver: (reason: string | undefined) => void,
  ) {
    this.#params = params
    this.#onEvents = onEvents
    this.#onOver = onOver
  }

  push(samples: Int16Array): void {
    if (this.#isOver) return
    this.#samples += samples.length
    if (this.ring.write(samples)) return
    this.giveUp('the thread is seconds late')
  }

  end(): readonly DetectorEvent[] {
    return this.#end(undefined)
  }

  /** Reports the final event from the audio processed so far. */
  giveUp(reason?: string): void {
    const events = this.#end(reason)
    if (events.length > 0) this.#onEvents(events)
  }

  take(events: readonly DetectorEvent[]): void {
    if (this.#isOver) return
    for (const event of events) {
      if (event.type === 'machine-started') this.#stage = 'machine'
      if (event.type === 'verdict') this.#answeredBy = event.answeredBy
      this.#isOver ||= isLastEvent(event, this.#params)
    }
    if (this.#isOver) this.#onOver(undefined)
    this.#onEvents(events)
  }

  #end(reason: string | undefined): readonly DetectorEvent[] {
    if (this.#isOver) return []
    this.#isOver = true
    this.#onOver(reason)
    return [eventAtEnd(this.#stage, this.#answeredBy, this.#samples / SAMPLES_PER_MS)]
  }
}
