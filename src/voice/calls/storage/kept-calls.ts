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
/** A page of an account's calls that starts at a known call, newest first. */
type PagedFrom = Readonly<Record<'limit' | 'at', number>> &
  Readonly<Record<'accountSid' | 'sid', string>>

/** Maximum number of cached calls: two pages of the largest size. */
const MAX_KEPT = 2_000
/** Age of a call's last change after which no other change can have the same millisecond, ms. */
const SETTLED_MS = 5_000
/** Maximum number of a page's calls that are read one by one; with more, the whole page is read. */
const MAX_SINGLE = 8

/**
 * A cache of ended calls as the API shows them, frozen so that derived values can be cached too. Each read
 * asks the database which calls exist and when each was last changed; a changed call is read again.
 */
export class KeptCalls {
  readonly #clock: Clock
  readonly #calls = new Map<string, ShownCall>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async find(read: Reader, given: OfAccount): Promise<ShownCall | undefined> {
    if (this.#calls.has(given.sid)) {
      // Reading its version is cheaper than reading the whole row.
      const [version] = await readVersion(read, given)
      const known = version && this.#known(version)
      if (known !== undefined) return known
    }
    const [row] = await readShown(read, given)
    if (row === undefined) return undefined
    return this.#known(row) ?? this.#keep(toShownCall(row))
  }

  async newest(read: Reader, page: Paged): Promise<readonly ShownCall[]> {
    // A page of versions costs a sixth of a page of calls, but over a network just as much.
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

  /** Resolves with the calls of these versions; undefined when one of them has been deleted meanwhile. */
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

/** Reads the newest calls of an account, the most requested page. */
const readNewest = readOnce<Paged, ShownRow>(['accountSid', 'limit', 'offset'], (db, page) =>
  newestOf(db, page).select(SHOWN_COLUMNS),
)

const readVersions = readOnce<Paged, PlacedVersion>(['accountSid', 'limit', 'offset'], (db, page) =>
  newestOf(db, page).select(['sid', 'updatedAt', 'createdAt']),
)

/** Reads a page whose first call is known, without skipping over the calls before it. */
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
