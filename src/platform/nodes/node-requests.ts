import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { linkAbort, withAbort } from '../async/abort.js'
import { endedWithin } from '../async/limit.js'
import { Pump } from '../async/pump.js'
import { pause } from '../async/sleep.js'
import type { Clock } from '../clock.js'
import type { Database } from '../database/database.js'
import { DomainError } from '../errors.js'
import type { Logger } from '../log.js'
import type { Vault } from '../secrets.js'
import { VaultKeyError } from '../vault-key/check-vault-key.js'
import {
  answersTo,
  dropOldRequests,
  dropRequest,
  insertRequest,
  openRequests,
  storeAnswer,
  takeRequest,
  withdrawRequest,
} from './node-request-storage.js'

export interface NodeRequestsDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly vault: Pick<Vault, 'seal' | 'open'>
  readonly limits?: Partial<HandlingLimits>
}

/** Time limits of a node for other nodes' requests. */
export interface HandlingLimits {
  /** For one request, from claim to answer, ms. */
  readonly workMs: number
  /** For running requests when the node stops, ms. */
  readonly stopMs: number
}

/** Runs a request. Its signal aborts at the time limit, or when the node stops. */
export type Handle = (content: unknown, signal: AbortSignal) => Promise<unknown>

export interface AskedOfNode {
  /** Account, or another name, that the request is made for; requests in progress are limited per asker. */
  readonly asker: string
  readonly node: string
  readonly kind: string
  /** Sent as JSON. */
  readonly content: unknown
  /**
   * What happens to a request that the node has not claimed in time. `leave`: the node runs it when it can,
   * though nobody waits for the answer.
   */
  readonly ifLate: 'withdraw' | 'leave'
}

/** Time in which several looks are combined into one query, ms. */
const GATHER_MS = 20

/** The node did not answer in time or cannot run the request, or this one is stopping. */
export class NodeUnavailableError extends DomainError {
  override readonly name = 'NodeUnavailableError'
  readonly code = 'node-unavailable'
}

/** The asker has the maximum number of requests in progress. */
export class TooManyAskedError extends DomainError {
  override readonly name = 'TooManyAskedError'
  readonly code = 'too-many-asked'
}

/** Interval at which a node looks for requests, ms. */
const EVERY_MS = 500
/** Interval at which a waiting node looks for the answer, ms. */
const LOOK_AGAIN_MS = 100
/** Time in which a live node claims a request, ms. */
const TAKEN_LIMIT_MS = 5_000
/** Time limit from request to answer, ms. */
const ANSWER_LIMIT_MS = 15_000
/** Maximum requests that a node runs at once; the others wait. */
const MOST_AT_ONCE = 100
/**
 * Maximum requests of one asker that wait here. A node claims 200 a second, so that another asker's requests
 * behind them still begin in time.
 */
const MOST_OF_ONE = 250
/** Lifetime of a request, ms: longer than any wait, even where two nodes' clocks differ by minutes. */
const KEPT_MS = 600_000
const TIDY_EVERY_MS = 60_000
/** Remaining time of a request that was claimed as late as possible. */
const LIMITS: HandlingLimits = { workMs: ANSWER_LIMIT_MS - TAKEN_LIMIT_MS, stopMs: 5_000 }

/**
 * Sends requests to other nodes that share the database, and runs theirs. A request is a row: the target node
 * claims it once and stores its answer there. The asker withdraws a row that nobody claimed in time, so that a
 * failed request is never run afterwards.
 */
export class NodeRequests implements AsyncDisposable {
  readonly #deps: NodeRequestsDeps
  readonly #limits: HandlingLimits
  readonly #handlers = new Map<string, Handle>()
  readonly #looks: AnswerLooks
  readonly #stopping = new AbortController()
  /** Aborts running requests of other nodes when this node stops. */
  readonly #cut = new AbortController()
  readonly #running = new Set<Promise<void>>()
  /** Number of requests that wait for an answer, by asker. */
  readonly #waiting = new Map<string, number>()
  readonly #pump: Pump
  #tidyAt = 0

  constructor(deps: NodeRequestsDeps) {
    this.#deps = deps
    this.#limits = { ...LIMITS, ...deps.limits }
    this.#looks = new AnswerLooks(deps.db)
    // Every wait for an answer adds a listener.
    setMaxListeners(0, this.#stopping.signal)
    setMaxListeners(MOST_AT_ONCE, this.#cut.signal)
    const now = () => deps.clock.monotonic()
    this.#pump = new Pump({
      name: 'requests of other nodes',
      log: deps.log,
      now,
      look: async () => {
        await this.#look().catch((err: unknown) => {
          deps.log.warn({ err }, 'could not look for what other nodes ask')
        })
        return now() + EVERY_MS
      },
    })
  }

  /**
   * Handles requests of a kind; the result of `handle` is sent as JSON. A rejection is logged and reported to
   * the asker as a failure; so is a request that takes more than ten seconds.
   */
  on(kind: string, handle: Handle): void {
    this.#handlers.set(kind, handle)
  }

  /** Starts to run other nodes' requests. An SQLite database has one node. */
  start(): void {
    if (this.#deps.db.engine === 'postgres') this.#pump.wake()
  }

  /** Resolves with the node's answer. Rejects with NodeUnavailableError or TooManyAskedError. */
  async ask(asked: AskedOfNode): Promise<unknown> {
    const { asker } = asked
    const waiting = this.#waiting.get(asker) ?? 0
    if (waiting >= MOST_OF_ONE)
      throw new TooManyAskedError('too many requests wait for other servers')
    this.#waiting.set(asker, waiting + 1)
    try {
      return await this.#ask(asked)
    } finally {
      const left = (this.#waiting.get(asker) ?? 1) - 1
      if (left > 0) this.#waiting.set(asker, left)
      else this.#waiting.delete(asker)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#pump[Symbol.asyncDispose]()
    await endedWithin(Promise.all(this.#running), this.#limits.stopMs)
    this.#cut.abort(new Error('this server stops'))
    await Promise.all(this.#running)
  }

  async #ask({ node, kind, content, ifLate }: AskedOfNode): Promise<unknown> {
    const { clock, db, vault } = this.#deps
    const request = { id: randomUUID(), node, kind, content: vault.seal(JSON.stringify(content)) }
    const askedAt = clock.monotonic()
    const row = { ...request, askedAt: clock.now() }
    await db.write((tx) => insertRequest(tx, row), 'read-committed')
    const early = await this.#answer(request.id, askedAt + TAKEN_LIMIT_MS)
    if (early !== undefined) return early.answer
    const isWithdrawn =
      ifLate === 'leave' ||
      (await db.write((tx) => withdrawRequest(tx, request.id), 'read-committed'))
    const late = isWithdrawn ? undefined : await this.#answer(request.id, askedAt + ANSWER_LIMIT_MS)
    if (late !== undefined) return late.answer
    throw new NodeUnavailableError('the server that has it does not answer')
  }

  /** Resolves with the answer; undefined when there is none until `until`. */
  async #answer(id: string, until: number): Promise<Answer | undefined> {
    const { clock, db } = this.#deps
    const { signal } = this.#stopping
    for (;;) {
      const sealed = await this.#looks.answerTo(id)
      if (sealed !== undefined) {
        await db.write((tx) => dropRequest(tx, id), 'read-committed')
        const answered = this.#read(sealed)
        if (answered.type === 'failed')
          throw new NodeUnavailableError('the server that has it failed')
        return answered
      }
      if (clock.monotonic() >= until || signal.aborted) return undefined
      await pause(LOOK_AGAIN_MS, signal)
    }
  }

  /** Decodes an answer from #carryOut of the other node; an undecodable one is a failure. */
  #read(sealed: string): Answered {
    const { log, vault } = this.#deps
    try {
      return JSON.parse(opened(vault, sealed)) as Answered
    } catch (err) {
      log.error({ err }, 'could not read the answer of another node')
      return { type: 'failed' }
    }
  }

  async #look(): Promise<void> {
    const { clock, db } = this.#deps
    const room = MOST_AT_ONCE - this.#running.size
    const open = room > 0 ? await openRequests(db.read, db.node, room) : []
    for (const id of open) {
      const now = clock.now()
      const taken = await db.write((tx) => takeRequest(tx, id, now), 'read-committed')
      if (taken === undefined) continue
      const running = this.#carryOut(taken).finally(() => this.#running.delete(running))
      this.#running.add(running)
    }
    if (clock.monotonic() < this.#tidyAt) return
    this.#tidyAt = clock.monotonic() + TIDY_EVERY_MS
    const before = clock.now() - KEPT_MS
    await db.write((tx) => dropOldRequests(tx, before), 'read-committed')
  }

  /** Never rejects. */
  async #carryOut({
    id,
    kind,
    content,
  }: {
    readonly id: string
    readonly kind: string
    readonly content: string
  }): Promise<void> {
    const { db, log, vault } = this.#deps
    try {
      const answered = await this.#handle(kind, content)
      const sealed = vault.seal(JSON.stringify(answered))
      await db.write((tx) => storeAnswer(tx, id, sealed), 'read-committed')
    } catch (err) {
      log.warn({ err, kind }, 'could not answer another node')
    }
  }

  async #handle(kind: string, content: string): Promise<Answered> {
    const { log, vault } = this.#deps
    const tooLong = { ms: this.#limits.workMs, reason: () => new Error('it took too long') }
    using link = linkAbort([this.#cut.signal], tooLong)
    const { signal } = link
    try {
      const handle = this.#handlers.get(kind)
      // A node of another version may send a kind that this one does not know.
      if (handle === undefined) throw new Error(`this server does not know ${kind}`)
      const work = handle(JSON.parse(opened(vault, content)), signal)
      return { type: 'answered', answer: await withAbort(work, signal) }
    } catch (err) {
      log.error({ err, kind }, 'could not do what another node asks')
      return { type: 'failed' }
    }
  }
}

/**
 * Polls for answers. Polls within a short time share one query, so that the load does not grow with the number
 * of waiting requests.
 */
export class AnswerLooks {
  readonly #db: Pick<Database, 'read'>
  #next:
    | { readonly ids: string[]; readonly found: Promise<ReadonlyMap<string, string>> }
    | undefined

  constructor(db: Pick<Database, 'read'>) {
    this.#db = db
  }

  /** Resolves with the sealed answer to a request; undefined while there is none. */
  async answerTo(id: string): Promise<string | undefined> {
    if (this.#next === undefined) {
      const ids: string[] = []
      this.#next = { ids, found: this.#find(ids) }
    }
    const { ids, found } = this.#next
    ids.push(id)
    return (await found).get(id)
  }

  /** Queries the answers to all collected ids. */
  async #find(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    await pause(GATHER_MS)
    this.#next = undefined
    return await answersTo(this.#db.read, ids)
  }
}

/** Unseals a text from another node. Throws VaultKeyError. */
function opened(vault: NodeRequestsDeps['vault'], sealed: string): string {
  try {
    return vault.open(sealed)
  } catch {
    // GCM shows only that the text was not sealed with this key.
    throw new VaultKeyError(
      'another server on this database has another vault.key (copy the one file to all of them), or what it stored was changed since',
    )
  }
}

interface Answer {
  readonly type: 'answered'
  readonly answer?: unknown
}
type Answered = Answer | { readonly type: 'failed' }
