import type { Clock } from '../../../platform/clock.js'
import { readOnce } from '../../../platform/database/compiled-once.js'
import type { Reader } from '../../../platform/database/database.js'
import { isDirect } from '../../../platform/database/direct-rows.js'
import {
  SHOWN_COLUMNS,
  type ShownCall,
  type ShownRow,
  toShownCall,
} from '../../model/shown-call.js'

/** A page of the newest calls of an account. */
type Paged = Readonly<Record<'limit' | 'offset', number>> & { readonly accountSid: string }
type OfAccount = Readonly<Record<'accountSid' | 'sid', string>>
type Version = Pick<ShownRow, 'sid' | 'updatedAt'>
type PlacedVersion = Pick<ShownRow, 'sid' | 'updatedAt' | 'createdAt'>
/** The calls of an account from one of them on, newest first. */
type PagedFrom = Readonly<Record<'limit' | 'at', number>> &
  Readonly<Record<'accountSid' | 'sid', string>>

/** The most calls that are kept: a page of the largest size, twice. */
const MAX_KEPT = 2_000
/** The age of a call's last change after which another one cannot bear the same millisecond. */
const SETTLED_MS = 5_000
/** The calls of a page that are read one by one; with more of them the page is read as a whole. */
const MAX_SINGLE = 8

/**
 * Reads what the API shows of calls. A call that is over is kept, frozen, so that what was made of it
 * can be kept too. The database is asked each time which calls there are and when each was changed: one
 * that was changed since, by whomever, is read again.
 */
export class KeptCalls {
  readonly #clock: Clock
  readonly #calls = new Map<string, ShownCall>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async find(read: Reader, given: OfAccount): Promise<ShownCall | undefined> {
    if (this.#calls.has(given.sid)) {
      // Its version is less to read than the whole row.
      const [version] = await readVersion(read, given)
      const known = version && this.#known(version)
      if (known !== undefined) return known
    }
    const [row] = await readShown(read, given)
    if (row === undefined) return undefined
    return this.#known(row) ?? this.#keep(toShownCall(row))
  }

  async newest(read: Reader, page: Paged): Promise<readonly ShownCall[]> {
    // A page of versions costs a sixth of a page of calls, but over a network as much.
    const versions = isDirect(read) ? await readVersions(read, page) : []
    const isMostlyKnown =
      versions.filter((version) => this.#known(version) === undefined).length <= MAX_SINGLE
    const calls =
      versions.length > 0 && isMostlyKnown ? await this.#each(read, versions, page) : undefined
    if (calls !== undefined) return calls
    const [first] = versions
    const rows =
      first === undefined
        ? await readNewest(read, page)
        : await readFrom(read, { ...page, at: first.createdAt, sid: first.sid })
    return rows.map((row) => this.#known(row) ?? this.#keep(toShownCall(row)))
  }

  /** The calls of these versions; undefined when one of them is gone meanwhile. */
  async #each(
    read: Reader,
    versions: readonly Version[],
    { accountSid }: Paged,
  ): Promise<readonly ShownCall[] | undefined> {
    const calls: ShownCall[] = []
    for (const version of versions) {
      const call = this.#known(version) ?? (await this.find(read, { accountSid, sid: version.sid }))
      if (call === undefined) return undefined
      calls.push(call)
    }
    return calls
  }

  #known({ sid, updatedAt }: Version): ShownCall | undefined {
    const call = this.#calls.get(sid)
    return call?.updatedAt === updatedAt ? call : undefined
  }

  #keep(call: ShownCall): ShownCall {
    const isOver = call.endedAt !== undefined
    if (!isOver || this.#clock.now() - call.updatedAt < SETTLED_MS) return call
    const [oldest] = this.#calls.keys()
    if (this.#calls.size >= MAX_KEPT && oldest !== undefined) this.#calls.delete(oldest)
    this.#calls.set(call.sid, call)
    return Object.freeze(call)
  }
}

const readShown = readOnce<OfAccount, ShownRow>(['accountSid', 'sid'], (db, given) =>
  db
    .selectFrom('calls')
    .select(SHOWN_COLUMNS)
    .where('sid', '=', given.sid)
    .where('accountSid', '=', given.accountSid),
)

const readVersion = readOnce<OfAccount, Version>(['accountSid', 'sid'], (db, given) =>
  db
    .selectFrom('calls')
    .select(['sid', 'updatedAt'])
    .where('sid', '=', given.sid)
    .where('accountSid', '=', given.accountSid),
)

/** Reads the newest calls of an account: the page that is asked for most. */
const readNewest = readOnce<Paged, ShownRow>(['accountSid', 'limit', 'offset'], (db, page) =>
  newestOf(db, page).select(SHOWN_COLUMNS),
)

const readVersions = readOnce<Paged, PlacedVersion>(['accountSid', 'limit', 'offset'], (db, page) =>
  newestOf(db, page).select(['sid', 'updatedAt', 'createdAt']),
)

/** Reads a page whose first call is known: what comes before it is not counted again. */
const readFrom = readOnce<PagedFrom, ShownRow>(
  ['accountSid', 'at', 'sid', 'limit'],
  (db, { at, sid, ...page }) =>
    newestOf(db, { ...page, offset: 0 })
      .where((e) => e(e.refTuple('createdAt', 'sid'), '<=', e.tuple(at, sid)))
      .select(SHOWN_COLUMNS),
)

function newestOf(db: Reader, { accountSid, limit, offset }: Paged) {
  return db
    .selectFrom('calls')
    .where('accountSid', '=', accountSid)
    .orderBy('createdAt', 'desc')
    .orderBy('sid', 'desc')
    .limit(limit)
    .offset(offset)
}
