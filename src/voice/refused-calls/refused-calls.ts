/**
 * The INVITEs that were refused before they became calls, for the operator. Equal refusals of an hour share a
 * row. Memory and rows are bounded: beyond the limits the refusals of many sources share a row.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { startRetention } from '../../platform/database/retention.js'
import { StorageUnavailableError } from '../../platform/database/storage-error.js'
import type { Insertable, Selectable } from '../../platform/database/tables.js'
import type { Logger } from '../../platform/log.js'
import type { RefusedCallsTable } from './tables.js'

/** A refused INVITE; its texts come from a stranger. */
export interface Refusal {
  readonly address: string
  readonly port: number
  readonly transport: string
  readonly fromUri: string
  readonly called: string
  readonly callId: string
  readonly userAgent: string
  /** Status of the response; 0 without a response. */
  readonly status: number
  readonly why: string
  readonly accountSid?: string | undefined
  /** INVITE unless given. */
  readonly method?: 'INVITE' | 'REGISTER'
}

type Row = Insertable<RefusedCallsTable>

export type RefusedCall = Selectable<RefusedCallsTable>

export interface RefusedCallFilter {
  readonly address?: string | undefined
  readonly status?: number | undefined
  readonly called?: string | undefined
  /** Epoch ms of the oldest last refusal. */
  readonly since?: number | undefined
}

export interface RefusedCallsDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
  /** Number of days that rows are kept. */
  readonly days: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Time to collect refusals before a write, ms. */
const GATHER_MS = 2_000
/** Maximum numbers of new rows in an hour: from one source, and in all. */
const MAX_OF_SOURCE = 20
const MAX_IN_HOUR = 500
/** Maximum number of rows that wait for a database that is away. */
const MAX_WAITING = 1_000
/** Maximum number of rows; the oldest are deleted. */
const MAX_ROWS = 10_000
/** Maximum number of rows that one pass deletes. */
const ROWS_AT_ONCE = 500
/** Maximum length of a stored text, characters. */
const MAX_CHARS = 200

export class RefusedCalls implements AsyncDisposable {
  readonly #deps: RefusedCallsDeps
  readonly #retention: AsyncDisposable
  readonly #counts = { INVITE: new Map<number, number>(), REGISTER: new Map<number, number>() }
  #pending = new Map<string, Row>()
  #hour = 0
  /** Keys of this hour's rows, by source. */
  readonly #keys = new Map<string, Set<string>>()
  #keyCount = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  /** True from a write that the database refused until one that it accepts. */
  #isRefused = false
  #isClosed = false

  constructor(deps: RefusedCallsDeps) {
    this.#deps = deps
    this.#retention = startRetention({
      name: 'old refused calls',
      log: deps.log,
      removeSome: () => this.#removeSome(),
    })
  }

  /** Number of INVITEs refused here since the start, by the status of the response; 0 for none. */
  get counts(): ReadonlyMap<number, number> {
    return this.#counts.INVITE
  }

  /** The same of REGISTERs. */
  get registrationCounts(): ReadonlyMap<number, number> {
    return this.#counts.REGISTER
  }

  /** Counts a refusal, and stores it within a few seconds. */
  note(refusal: Refusal): void {
    if (this.#isClosed) return
    const counts = this.#counts[refusal.method ?? 'INVITE']
    counts.set(refusal.status, (counts.get(refusal.status) ?? 0) + 1)
    const now = this.#deps.clock.now()
    this.#beginHour(Math.floor(now / HOUR_MS))
    this.#add(this.#rowOf(refusal, now))
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.flush()
    }, GATHER_MS).unref()
  }

  /** Resolves with the last refusals that match, the newest first. */
  async list(filter: RefusedCallFilter, limit: number): Promise<readonly RefusedCall[]> {
    await this.flush()
    const { address, status, called, since } = filter
    let query = this.#deps.db.read.selectFrom('refused_calls').selectAll()
    if (address !== undefined) query = query.where('address', '=', address)
    if (status !== undefined) query = query.where('status', '=', status)
    if (called !== undefined) query = query.where('called', '=', called)
    if (since !== undefined) query = query.where('lastAt', '>=', since)
    return await query.orderBy('lastAt', 'desc').orderBy('id', 'desc').limit(limit).execute()
  }

  /** Resolves once what was noted so far is stored, or the database has refused it. */
  async flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write())
    await this.#writing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#retention[Symbol.asyncDispose]()
    await this.flush()
  }

  /** Adds a row to those that wait, or its count to the row of the same key; drops it when too many wait. */
  #add(row: Row): void {
    const waiting = this.#pending.get(row.key)
    if (waiting === undefined && this.#pending.size >= MAX_WAITING) return
    const [first = row, last = row] =
      waiting === undefined ? [] : [waiting, row].toSorted((a, b) => a.lastAt - b.lastAt)
    const calls = row.calls + (waiting?.calls ?? 0)
    this.#pending.set(row.key, { ...last, firstAt: first.firstAt, calls })
  }

  #beginHour(hour: number): void {
    if (hour === this.#hour) return
    this.#hour = hour
    this.#keys.clear()
    this.#keyCount = 0
  }

  /** Returns the row of a refusal: its own, that of its source, or that of all sources. */
  #rowOf(refusal: Refusal, now: number): Row {
    const { address, called, status, why, method = 'INVITE' } = refusal
    const ownKey = this.#keyOf(method, address, status, called, why)
    if (this.#hasPlace(address, ownKey)) return this.#row(refusal, ownKey, now)
    const shared = { called: '', fromUri: '', callId: '', userAgent: '', accountSid: undefined }
    const ofSource = { ...refusal, ...shared, why: `many refusals, the last: ${why}` }
    if (this.#keys.has(address))
      return this.#row(ofSource, this.#keyOf(method, address, status, '', ''), now)
    const ofAll = { ...ofSource, address: '', port: 0, transport: '' }
    return this.#row(ofAll, this.#keyOf(method, '', status, '', ''), now)
  }

  /** True when the key has a row in this hour, or may get one. */
  #hasPlace(address: string, key: string): boolean {
    const keys = this.#keys.get(address) ?? new Set<string>()
    if (keys.has(key)) return true
    if (keys.size >= MAX_OF_SOURCE || this.#keyCount >= MAX_IN_HOUR) return false
    this.#keys.set(address, keys.add(key))
    this.#keyCount += 1
    return true
  }

  #keyOf(method: string, address: string, status: number, called: string, why: string): string {
    const parts = [this.#hour, method, address, status, called, why]
    return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
  }

  #row(refusal: Refusal, key: string, now: number): Row {
    const { address, port, transport, status, accountSid = null, method = 'INVITE' } = refusal
    return {
      ...{ key, firstAt: now, lastAt: now, calls: 1 },
      ...{ address, port, transport, status, accountSid, method },
      fromUri: printable(refusal.fromUri),
      called: printable(refusal.called),
      callId: printable(refusal.callId),
      userAgent: printable(refusal.userAgent),
      why: printable(refusal.why),
      node: this.#deps.db.node,
    }
  }

  async #write(): Promise<void> {
    // In one order on all nodes, so that their writes cannot block each other.
    const rows = [...this.#pending.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
    if (rows.length === 0) return
    this.#pending = new Map()
    try {
      await this.#deps.db.write(async (tx) => {
        for (const row of rows)
          await tx
            .insertInto('refused_calls')
            .values(row)
            .onConflict((known) =>
              known.column('key').doUpdateSet((each) => ({
                calls: each('refused_calls.calls', '+', row.calls),
                lastAt: row.lastAt,
                port: row.port,
                fromUri: row.fromUri,
                callId: row.callId,
                userAgent: row.userAgent,
                why: row.why,
                node: row.node,
              })),
            )
            .execute()
      }, 'read-committed')
      this.#isRefused = false
    } catch (err) {
      if (!(err instanceof StorageUnavailableError)) {
        this.#deps.log.error({ err, lost: rows.length }, 'could not store refused calls')
        return
      }
      // One line for an outage.
      if (!this.#isRefused) this.#deps.log.warn({ err }, 'refused calls wait for the database')
      this.#isRefused = true
      for (const row of rows) this.#add(row)
    }
  }

  async #removeSome(): Promise<boolean> {
    const { db, clock, days } = this.#deps
    const removed = await db.write(async (tx) => {
      const old = await tx
        .deleteFrom('refused_calls')
        .where('id', 'in', (oldest) =>
          oldest.selectFrom('refused_calls').select('id').orderBy('lastAt').limit(ROWS_AT_ONCE),
        )
        .where('lastAt', '<', clock.now() - days * DAY_MS)
        .executeTakeFirst()
      const surplus = await tx
        .deleteFrom('refused_calls')
        .where('id', 'in', (older) =>
          older
            .selectFrom('refused_calls')
            .select('id')
            .orderBy('lastAt', 'desc')
            .orderBy('id', 'desc')
            .limit(ROWS_AT_ONCE)
            .offset(MAX_ROWS),
        )
        .executeTakeFirst()
      return [Number(old.numDeletedRows), Number(surplus.numDeletedRows)]
    })
    return removed.includes(ROWS_AT_ONCE)
  }
}

/** Cuts a stranger's text, and replaces control characters, which could steer a terminal. */
function printable(text: string): string {
  return text.slice(0, MAX_CHARS).replace(/\p{C}/gu, '?')
}
