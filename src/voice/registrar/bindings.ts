/** The stored bindings: the contacts of each user. They survive a restart. */
import type { Clock } from '../../platform/clock.js'
import { compiledOnce, readOnce } from '../../platform/database/compiled-once.js'
import type { Database, Reader, Writer } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import { startRetention } from '../../platform/database/retention.js'
import type { Selectable } from '../../platform/database/tables.js'
import type { Logger } from '../../platform/log.js'
import { type Binding, toBinding, toBindingRow } from './binding.js'
import { acceptNonce, type NonceUse } from './nonce-counts.js'
import type { SipBindingsTable } from './tables.js'

/** The user whose contacts are read or changed. */
export interface AddressOfRecord {
  readonly domainSid: string
  readonly username: string
}

/** The changes that one REGISTER makes to a user's bindings. */
export interface BindingChange {
  readonly put: readonly Binding[]
  /** Keys of the bindings to remove, or all of them. */
  readonly remove: readonly string[] | 'all'
  readonly callId: string
  readonly cseq: number
  /** True when the REGISTER only queries the bindings. */
  readonly isQuery: boolean
  /** The use of the nonce that authorised the change. */
  readonly use: NonceUse
}

export type ChangeOutcome =
  | { readonly type: 'done'; readonly bindings: readonly Binding[] }
  /** The REGISTER is older than one that was accepted; nothing was changed. */
  | { readonly type: 'out-of-order' }
  /** The nonce was used with this count before; nothing was changed. */
  | { readonly type: 'replayed' }

/** Maximum number of contacts per user; a new one replaces the one refreshed longest ago. */
const MAX_BINDINGS = 10
const REMOVED_AT_ONCE = 500

export interface BindingsDeps {
  readonly db: Database
  readonly clock: Clock
}

export class Bindings {
  readonly #db: Database
  readonly #clock: Clock

  constructor({ db, clock }: BindingsDeps) {
    this.#db = db
    this.#clock = clock
  }

  /** Returns the user's contacts that have not expired, preferred ones first. */
  async of({ domainSid, username }: AddressOfRecord): Promise<readonly Binding[]> {
    return liveBindings(this.#db.read, { domainSid, username }, this.#clock.now())
  }

  /** Returns the contacts of a user name at every domain of the account, preferred ones first. */
  async ofAccount(accountSid: string, username: string): Promise<readonly Binding[]> {
    const rows = await this.#db.read
      .selectFrom('sip_bindings')
      .selectAll()
      .where('accountSid', '=', accountSid)
      .where('username', '=', username)
      .where('expiresAt', '>', this.#clock.now())
      .execute()
    return preferred(rows.map(toBinding))
  }

  /** Returns the account's most recently refreshed contact; undefined when there is none. */
  async newestOf(accountSid: string): Promise<Binding | undefined> {
    const row = await this.#db.read
      .selectFrom('sip_bindings')
      .selectAll()
      .where('accountSid', '=', accountSid)
      .where('expiresAt', '>', this.#clock.now())
      .orderBy('updatedAt', 'desc')
      .orderBy('sid')
      .limit(1)
      .executeTakeFirst()
    return row && toBinding(row)
  }

  /**
   * Changes bindings and stores the count of the nonce in one commit. REGISTERs of one user are
   * serialized, those of different users are not, so a registration storm is stored without delay.
   */
  change(aor: AddressOfRecord, change: BindingChange): Promise<ChangeOutcome> {
    const now = this.#clock.now()
    const turn = `sip_bindings ${aor.domainSid} ${aor.username}`
    return this.#db.writeInTurn(turn, (tx) => changeBindings(tx, aor, change, now))
  }

  /** Lists the contacts registered at a domain of the account, newest first. */
  async list(accountSid: string, domainSid: string, request: PageRequest): Promise<Page<Binding>> {
    const matching = this.#db.read
      .selectFrom('sip_bindings')
      .selectAll()
      .where('accountSid', '=', accountSid)
      .where('domainSid', '=', domainSid)
      .where('expiresAt', '>', this.#clock.now())
    const page = await listNewestFirst({ read: this.#db.read, matching }, request)
    return { ...page, items: page.items.map(toBinding) }
  }

  /** Returns bindings of all accounts with a sid after `after`, in sid order. */
  async all(after: string, limit: number): Promise<readonly Binding[]> {
    return this.#behind(after, limit, false)
  }

  /** Returns the bindings with a sid after `after` that need OPTIONS. */
  async probed(after: string, limit: number): Promise<readonly Binding[]> {
    return this.#behind(after, limit, true)
  }

  /** Stores since when contacts do not answer; undefined: they answer. */
  async setSilent(bindings: readonly Binding[], since: number | undefined): Promise<void> {
    if (bindings.length === 0) return
    const sids = bindings.map(({ sid }) => sid)
    await this.#db.write((tx) =>
      tx
        .updateTable('sip_bindings')
        .set({ silentSince: since ?? null })
        .where('sid', 'in', sids)
        .execute(),
    )
  }

  /** Removes contacts whose connection is closed, unless they were refreshed meanwhile. */
  async removeLost(bindings: readonly Binding[]): Promise<void> {
    if (bindings.length === 0) return
    await this.#db.write(async (tx) => {
      for (const { sid, updatedAt } of bindings)
        await tx
          .deleteFrom('sip_bindings')
          .where('sid', '=', sid)
          .where('updatedAt', '=', updatedAt)
          .execute()
    })
  }

  async count(): Promise<number> {
    const { count } = await this.#db.read
      .selectFrom('sip_bindings')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('expiresAt', '>', this.#clock.now())
      .executeTakeFirstOrThrow()
    return count
  }

  /** Deletes expired rows until disposed. */
  startRetention(log: Logger): AsyncDisposable {
    return startRetention({ name: 'expired bindings', log, removeSome: () => this.#removeSome() })
  }

  async #removeSome(): Promise<boolean> {
    const now = this.#clock.now()
    const expired = await this.#db.read
      .selectFrom('sip_bindings')
      .select('sid')
      .where('expiresAt', '<=', now)
      .limit(REMOVED_AT_ONCE)
      .execute()
    const sids = expired.map(({ sid }) => sid)
    if (sids.length === 0) return false
    await this.#db.write((tx) =>
      // Skips a binding that was refreshed since it was read.
      tx
        .deleteFrom('sip_bindings')
        .where('sid', 'in', sids)
        .where('expiresAt', '<=', now)
        .execute(),
    )
    return sids.length === REMOVED_AT_ONCE
  }

  async #behind(after: string, limit: number, isProbed: boolean): Promise<readonly Binding[]> {
    let query = this.#db.read
      .selectFrom('sip_bindings')
      .selectAll()
      .where('sid', '>', after)
      .where('expiresAt', '>', this.#clock.now())
    if (isProbed) query = query.where('isProbed', '=', 1)
    return (await query.orderBy('sid').limit(limit).execute()).map(toBinding)
  }
}

/** Deletes a domain's bindings, in the transaction that deletes the domain. */
export async function deleteBindingsOf(tx: Writer, domainSid: string): Promise<void> {
  await tx.deleteFrom('sip_bindings').where('domainSid', '=', domainSid).execute()
}

type LiveBindings = Pick<AddressOfRecord, 'domainSid' | 'username'> & { readonly now: number }

const liveRows = readOnce(
  ['domainSid', 'username', 'now'],
  (db, { domainSid, username, now }: LiveBindings) =>
    db
      .selectFrom('sip_bindings')
      .selectAll()
      .where('domainSid', '=', domainSid)
      .where('username', '=', username)
      .where('expiresAt', '>', now),
)

async function liveBindings(
  read: Reader,
  { domainSid, username }: AddressOfRecord,
  now: number,
): Promise<readonly Binding[]> {
  return preferred((await liveRows(read, { domainSid, username, now })).map(toBinding))
}

/** Sorts by q value, highest first; contacts that do not answer OPTIONS come last. */
function preferred(bindings: readonly Binding[]): readonly Binding[] {
  const rankOf = ({ silentSince }: Binding) => (silentSince === undefined ? 0 : 1)
  return [...bindings].sort(
    (a, b) =>
      rankOf(a) - rankOf(b) || b.q - a.q || b.updatedAt - a.updatedAt || (a.sid < b.sid ? -1 : 1),
  )
}

async function changeBindings(
  tx: Writer,
  aor: AddressOfRecord,
  change: BindingChange,
  now: number,
): Promise<ChangeOutcome> {
  if (!(await acceptNonce(tx, change.use))) return { type: 'replayed' }
  const current = await liveBindings(tx, aor, now)
  const isOld = (binding: Binding) =>
    // RFC 3261 §10.3 step 7: within one Call-ID only a higher CSeq is accepted.
    binding.callId === change.callId && binding.cseq >= change.cseq
  if (!change.isQuery && current.some(isOld)) return { type: 'out-of-order' }
  const gone =
    change.remove === 'all' ? current : current.filter(({ key }) => change.remove.includes(key))
  const kept = current.filter((binding) => !gone.includes(binding))
  const put = change.put.map((binding) => {
    const known = kept.find(({ key }) => key === binding.key)
    return known === undefined
      ? binding
      : { ...binding, sid: known.sid, createdAt: known.createdAt }
  })
  const others = kept.filter(({ key }) => !put.some((binding) => binding.key === key))
  const room = Math.max(0, MAX_BINDINGS - put.length)
  const byAge = [...others].sort((a, b) => b.updatedAt - a.updatedAt)
  await removeBindings(tx, aor, [...gone, ...byAge.slice(room)])
  for (const binding of put) {
    const isKnown = kept.some(({ sid }) => sid === binding.sid)
    await putBinding(tx, binding, isKnown)
  }
  const bindings = [...put, ...byAge.slice(0, room)].sort((a, b) => b.q - a.q)
  return { type: 'done', bindings }
}

async function removeBindings(
  tx: Writer,
  { domainSid, username }: AddressOfRecord,
  bindings: readonly Binding[],
): Promise<void> {
  if (bindings.length === 0) return
  await tx
    .deleteFrom('sip_bindings')
    .where('domainSid', '=', domainSid)
    .where('username', '=', username)
    .where(
      'bindingKey',
      'in',
      bindings.map(({ key }) => key),
    )
    .execute()
}

const putRow = compiledOnce<Selectable<SipBindingsTable>>(
  [
    ...(['sid', 'accountSid', 'domainSid', 'username', 'bindingKey', 'contactUri'] as const),
    ...(['q', 'instanceId', 'regId', 'userAgent', 'callId', 'cseq'] as const),
    ...(['sourceAddress', 'sourcePort', 'transport', 'isProbed', 'silentSince'] as const),
    ...(['server', 'expiresAt', 'createdAt', 'updatedAt'] as const),
  ],
  (db, row) =>
    db
      .insertInto('sip_bindings')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['domainSid', 'username', 'bindingKey']).doUpdateSet(row),
      ),
)

/** Updates the columns that a refresh may change, none of them a key or indexed. */
const refreshRow = compiledOnce<Selectable<SipBindingsTable>>(
  [
    ...(['sid', 'domainSid', 'username', 'bindingKey', 'contactUri', 'q'] as const),
    ...(['instanceId', 'regId', 'userAgent', 'callId', 'cseq', 'sourceAddress'] as const),
    ...(['sourcePort', 'transport', 'isProbed', 'silentSince', 'server'] as const),
    ...(['expiresAt', 'updatedAt'] as const),
  ],
  (db, row) =>
    db
      .updateTable('sip_bindings')
      .set({
        contactUri: row.contactUri,
        q: row.q,
        instanceId: row.instanceId,
        regId: row.regId,
        userAgent: row.userAgent,
        callId: row.callId,
        cseq: row.cseq,
        sourceAddress: row.sourceAddress,
        sourcePort: row.sourcePort,
        transport: row.transport,
        isProbed: row.isProbed,
        silentSince: row.silentSince,
        server: row.server,
        expiresAt: row.expiresAt,
        updatedAt: row.updatedAt,
      })
      .where('domainSid', '=', row.domainSid)
      .where('username', '=', row.username)
      .where('bindingKey', '=', row.bindingKey)
      .where('sid', '=', row.sid),
)

/** Stores a binding. An existing one, `isKnown`, keeps its sid. */
async function putBinding(tx: Writer, binding: Binding, isKnown: boolean): Promise<void> {
  const row = toBindingRow(binding)
  const isRefreshed = isKnown && (await refreshRow(tx, row)).changed > 0
  if (!isRefreshed) await putRow(tx, row)
}
