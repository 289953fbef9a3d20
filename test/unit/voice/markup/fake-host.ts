/**
 * A call that consists of time: speech lasts a second, a file as long as its name says, and every
 * wait is an entry in a queue that jumps to the next entry once nobody has anything left to do.
 */
import type { ErrorNumber } from '../../../../src/voice/errors/error-catalogue.js'
import { BridgedDialogs } from '../../../../src/voice/markup/bridged-dialogs.js'
import type {
  DocumentRequest,
  DocumentSource,
  FetchedDocument,
  MarkupEnd,
} from '../../../../src/voice/markup/document.js'
import type { MarkupHost, MarkupLogEntry } from '../../../../src/voice/markup/host.js'
import { runMarkup } from '../../../../src/voice/markup/run-markup.js'
import { FetchError } from '../../../../src/voice/model/fetch-errors.js'
import type { AudioSource, LegMedia } from '../../../../src/voice/telephony/leg-media.js'
import type { Digit, Leg } from '../../../../src/voice/telephony/port.js'

const SPEECH_MS = 1000
const MAX_TURNS = 100_000

export class FakeTime {
  now = 0
  readonly #queue: { at: number; run: () => void }[] = []

  at(at: number, run: () => void): () => void {
    const entry = { at, run }
    this.#queue.push(entry)
    return () => {
      const index = this.#queue.indexOf(entry)
      if (index !== -1) this.#queue.splice(index, 1)
    }
  }

  readonly sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    await new Promise<void>((resolve) => {
      const done = () => {
        cancel()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const cancel = this.at(this.now + ms, done)
      signal.addEventListener('abort', done)
    })
    signal.throwIfAborted()
  }

  pending(): number {
    return this.#queue.length
  }

  /** Lets time pass until `promise` is settled; what stays in the queue then was leaked. */
  async until<T>(promise: Promise<T>): Promise<T> {
    const state = { isSettled: false }
    const settled = () => {
      state.isSettled = true
    }
    promise.then(settled, settled)
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      if (state.isSettled) return promise
      this.#jump()
    }
    throw new Error('the call never ended')
  }

  #jump(): void {
    this.#queue.sort((a, b) => a.at - b.at)
    const next = this.#queue.shift()
    if (next === undefined) return
    this.now = next.at
    next.run()
  }
}

export interface Scenario {
  /** URL → answer: a document's body (markup), or another answer, or the number of a FetchError. */
  readonly documents?: Readonly<Record<string, string | Answer | ErrorNumber>>
  /** When which key is pressed. */
  readonly keys?: readonly (readonly [atMs: number, key: string])[]
  readonly isUnanswered?: boolean
  readonly abortAt?: number
  readonly abortReason?: Error
  /** When the caller hangs up: its leg has ended, and the signal aborts. */
  readonly hangupAt?: number
  readonly host?: Partial<MarkupHost>
  readonly leg?: Partial<Leg>
  readonly media?: Partial<LegMedia>
}
interface Answer {
  readonly contentType: string
  readonly text: string
  /** After redirects. */
  readonly url?: string
}

export interface Played {
  readonly end: MarkupEnd
  /** What happened when: `0 say Hello`, `1000 said`, `400 cut`, `0 POST http://…?Digits=1`. */
  readonly timeline: readonly string[]
  readonly log: readonly MarkupLogEntry[]
}

export const BASE = 'http://app.example/voice'
export class StopError extends Error {
  override readonly name = 'StopError'
}

/** Runs the document at BASE, whose body is given. */
export function playBody(body: string, scenario: Scenario = {}): Promise<Played> {
  return play({ ...scenario, documents: { [BASE]: body, ...scenario.documents } })
}

/** Runs from BASE, without or with a fallback, or inline. */
export async function play(
  scenario: Scenario,
  start: { fallback?: string; inline?: string } = {},
): Promise<Played> {
  const call = new FakeCall(scenario)
  const { fallback, inline } = start
  const end = await call.run(
    inline === undefined ? fromBase(fallback) : { type: 'inline', text: inline },
  )
  return { end, timeline: call.timeline, log: call.log }
}

function fromBase(fallback: string | undefined): DocumentSource {
  const request: DocumentRequest = { url: BASE, method: 'POST', params: {} }
  if (fallback === undefined) return { type: 'url', request }
  return { type: 'url', request, fallback: { url: fallback, method: 'GET' } }
}

/** What had happened when a call, which would go on longer, was stopped. */
export async function timelineUntil(
  abortAt: number,
  body: string,
  scenario: Scenario = {},
  fallback?: string,
): Promise<readonly string[]> {
  const call = new FakeCall({
    ...scenario,
    abortAt,
    documents: { [BASE]: body, ...scenario.documents },
  })
  const end = await call.run(fromBase(fallback)).catch((error: unknown) => error)
  if (!(end instanceof StopError)) throw new Error('the call did not last that long')
  return call.timeline
}

export class FakeCall {
  readonly time = new FakeTime()
  readonly timeline: string[] = []
  readonly log: MarkupLogEntry[] = []
  readonly #listeners = new Set<(digit: Digit) => void>()
  readonly #scenario: Scenario
  #state: Leg['state']

  constructor(scenario: Scenario) {
    this.#scenario = scenario
    this.#state = scenario.isUnanswered === true ? 'ringing' : 'answered'
  }

  async run(source: DocumentSource): Promise<MarkupEnd> {
    const stop = new AbortController()
    const { keys = [], abortAt, abortReason, hangupAt } = this.#scenario
    const cancels = keys.map(([at, key]) =>
      this.time.at(at, () => {
        this.#press(key)
      }),
    )
    if (abortAt !== undefined)
      cancels.push(
        this.time.at(abortAt, () => {
          stop.abort(abortReason ?? new StopError('stop'))
        }),
      )
    if (hangupAt !== undefined)
      cancels.push(
        this.time.at(hangupAt, () => {
          this.#note('hang-up')
          this.#state = 'ended'
          stop.abort(new StopError('the call is over'))
        }),
      )
    try {
      const running = runMarkup(source, this.#host(), stop.signal, {
        sleep: this.time.sleep,
        monotonic: () => this.time.now,
      })
      return await this.time.until(running)
    } finally {
      for (const cancel of cancels) cancel()
      this.#checkLeaks()
    }
  }

  #checkLeaks(): void {
    if (this.#listeners.size > 0) throw new Error('a digit subscription was leaked')
    if (this.time.pending() > 0) throw new Error('a timer or a playing file was leaked')
  }

  #press(key: string): void {
    this.#note(`key ${key}`)
    for (const listener of [...this.#listeners]) listener({ digit: key, durationMs: 100 })
  }

  #note(what: string): void {
    this.timeline.push(`${this.time.now} ${what}`)
  }

  #host(): MarkupHost {
    return {
      // Verbs use these members of a leg and no others; one more would fail here, loudly.
      leg: this.#leg() as Leg,
      purpose: 'call',
      startStream: () => Promise.reject(new Error('nothing is streamed here')),
      stopStream: () => false,
      record: () => Promise.reject(new Error('nothing is recorded here')),
      startRecording: () => Promise.reject(new Error('nothing is recorded here')),
      stopRecording: () => false,
      tell: ({ method, url, params }) => {
        this.#note(`tell ${method} ${url} ${new URLSearchParams(params).toString()}`)
        return Promise.resolve()
      },
      placeCall: () => Promise.reject(new Error('nobody is called here')),
      judgeReferral: () => Promise.resolve(),
      callAddressTest: () => Promise.reject(new Error('nobody is called here')),
      callApplication: () => Promise.reject(new Error('nobody is called here')),
      letTalk: () => () => undefined,
      enterConference: () => Promise.reject(new Error('there are no rooms here')),
      enterQueue: () => Promise.reject(new Error('there are no queues here')),
      bridgedDialogs: new BridgedDialogs().of('AC1'),
      dialQueue: () => Promise.reject(new Error('there are no queues here')),
      answer: () => {
        if (this.#state !== 'answered') this.#note('answer')
        this.#state = 'answered'
        return Promise.resolve()
      },
      fetchDocument: (request) => this.#fetch(request),
      synthesise: ({ text }) => Promise.resolve({ type: 'file', path: `say ${text}` }),
      fetchMedia: (url) => Promise.resolve({ type: 'file', path: `play ${url}` }),
      log: (entry) => this.log.push(entry),
      ...this.#scenario.host,
    }
  }

  #leg(): Partial<Leg> {
    const state = () => this.#state
    const media: Partial<LegMedia> = {
      play: (source, signal) => this.#hear(source, signal),
      sendDigits: async (digits, signal) => {
        this.#note(`send ${digits}`)
        await this.time.sleep(100 * digits.length, signal)
      },
      ...this.#scenario.media,
    }
    return {
      get state() {
        return state()
      },
      media: media as LegMedia, // as the leg
      digits: {
        subscribe: (listener) => {
          this.#listeners.add(listener)
          return () => this.#listeners.delete(listener)
        },
      },
      ...this.#scenario.leg,
    }
  }

  async #hear(source: AudioSource, signal: AbortSignal): Promise<void> {
    const name = source.type === 'file' ? source.path : source.type
    this.#note(name)
    try {
      await this.time.sleep(durationOf(source), signal)
    } catch (error) {
      this.#note('cut')
      throw error
    }
  }

  #fetch({ url, method, params }: DocumentRequest): Promise<FetchedDocument> {
    const query = new URLSearchParams(params).toString()
    this.#note(`${method} ${url}${query === '' ? '' : ` ${query}`}`)
    if (this.#listeners.size > 0) throw new Error('a verb that led on still listens for digits')
    const answer = this.#scenario.documents?.[url] ?? 11200
    if (typeof answer === 'number')
      return Promise.reject(new FetchError(answer, url, 'no such document'))
    if (typeof answer !== 'string') return Promise.resolve({ url, ...answer })
    const text = `<Response>${answer}</Response>`
    return Promise.resolve({ url, contentType: 'text/xml; charset=utf-8', text })
  }
}

function durationOf(source: AudioSource): number {
  if (source.type === 'silence') return source.durationMs
  const [, seconds] = /(\d+)s\.wav$/.exec(source.type === 'file' ? source.path : '') ?? []
  return seconds === undefined ? SPEECH_MS : Number(seconds) * 1000
}
