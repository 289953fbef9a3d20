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

/** The times that a node has for what others ask of it. */
export interface HandlingLimits {
  /** For one request, from its taking to its answer. */
  readonly workMs: number
  /** For those under way when the node stops. */
  readonly stopMs: number
}

/** Carries out a request. Its signal aborts when the time is over, or the node stops. */
export type Handle = (content: unknown, signal: AbortSignal) => Promise<unknown>

export interface AskedOfNode {
  /** The account, or another name, for which it is asked; each has a bounded part of the way. */
  readonly asker: string
  readonly node: string
  readonly kind: string
  /** It crosses as JSON. */
  readonly content: unknown
  /**
   * What becomes of a request that the node has not begun in time. `leave`: the node carries it out
   * when it can, though nobody waits for the answer.
   */
  readonly ifLate: 'withdraw' | 'leave'
}

/** The time in which several looks are gathered. */
const GATHER_MS = 20

/** The node did not answer in time, or cannot do what it was asked, or this one is stopping. */
export class NodeUnavailableError extends DomainError {
  override readonly name = 'NodeUnavailableError'
  readonly code = 'node-unavailable'
}

/** The asker waits for the answers to so many requests already that it gets no more. */
export class TooManyAskedError extends DomainError {
  override readonly name = 'TooManyAskedError'
  readonly code = 'too-many-asked'
}

/** The interval at which a node looks for what others ask of it. */
const EVERY_MS = 500
/** The interval at which a node that asked looks for the answer. */
const LOOK_AGAIN_MS = 100
/** The time in which a node that lives begins. */
const TAKEN_LIMIT_MS = 5_000
/** The time from asking to the answer. */
const ANSWER_LIMIT_MS = 15_000
/** The requests that a node carries out at one time; the others wait for their turn. */
const MOST_AT_ONCE = 100
/**
 * The requests of one asker that wait here at one time. A node takes 200 in a second, so the requests
 * of another asker behind so many still begin in time.
 */
const MOST_OF_ONE = 250
/** Beyond the wait for an answer, even where the clocks of two nodes differ by minutes. */
const KEPT_MS = 600_000
const TIDY_EVERY_MS = 60_000
/** What is left of the wait for an answer when a request was taken as late as it can be. */
const LIMITS: HandlingLimits = { workMs: ANSWER_LIMIT_MS - TAKEN_LIMIT_MS, stopMs: 5_000 }

/**
 * Asks the other nodes that share the database, and carries out what they ask. A request is a row: the
 * node that is asked takes it, once, and stores its answer there. Who asked withdraws a row that
 * nobody has taken in time, so that nothing is done after it was told that nothing was.
 */
export class NodeRequests implements AsyncDisposable {
  readonly #deps: NodeRequestsDeps
  readonly #limits: HandlingLimits
  readonly #handlers = new Map<string, Handle>()
  readonly #looks: AnswerLooks
  readonly #stopping = new AbortController()
  /** Ends what others asked and this node has not done when it stops. */
  readonly #cut = new AbortController()
  readonly #running = new Set<Promise<void>>()
  /** The number of requests that wait for their answer, by asker. */
  readonly #waiting = new Map<string, number>()
  readonly #pump: Pump
  #tidyAt = 0

  constructor(deps: NodeRequestsDeps) {
    this.#deps = deps
    this.#limits = { ...LIMITS, ...deps.limits }
    this.#looks = new AnswerLooks(deps.db)
    // Every wait for an answer listens.
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
   * Answers the requests of a kind: what `handle` resolves with crosses as JSON. One that rejects is
   * logged, and who asked is told that it failed; so is one that is not done in ten seconds.
   */
  on(kind: string, handle: Handle): void {
    this.#handlers.set(kind, handle)
  }

  /** Carries out what other nodes ask from now on. An SQLite database has one node. */
  start(): void {
    if (this.#deps.db.engine === 'postgres') this.#pump.wake()
  }

  /** Resolves with the answer of the node. Rejects with NodeUnavailableError or TooManyAskedError. */
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

  /** The answer once it is there, and undefined when it is not there until then. */
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

  /** The answer as #carryOut of the other node has written it; one that cannot be read is a failure. */
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
      // A node of another version may ask for something that this one does not know.
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
 * Looks for the answers to the requests that wait. Those who look within a short time share one
 * query, so that what waiting costs the database does not grow with the number that waits.
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

  /** Looks for all that `ids` has in a moment. */
  async #find(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    await pause(GATHER_MS)
    this.#next = undefined
    return await answersTo(this.#db.read, ids)
  }
}

/** What another node has sealed. Throws VaultKeyError. */
function opened(vault: NodeRequestsDeps['vault'], sealed: string): string {
  try {
    return vault.open(sealed)
  } catch {
    // GCM says no more than that the text was not sealed so with this key.
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
