import { withAbort } from '../../platform/async/abort.js'
import type { Database, Reader } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import type {
  QueueDial,
  QueueDialAnswer,
  QueuedParty,
  QueueEntry,
  QueueOutcome,
} from '../markup/queue-entry.js'
import type { CallRecord } from '../model/call-record.js'
import { LiveQueue } from './live-queue.js'
import { QueueMemberNotFoundError } from './queue-errors.js'
import type { QueuedCall, ReadyMember, Reservation } from './queue-member.js'
import type { QueueChange } from './queue-store.js'
import {
  countRemoteCallers,
  NO_REMOTE_CALLERS,
  type RemoteCallerCount,
  remoteCallers,
} from './remote-callers.js'
import { type StayDeps, stayInQueue } from './stay-in-queue.js'
import type { QueueRecord } from './tables.js'

export interface QueuesDeps extends Omit<StayDeps, 'live'> {
  readonly db: Database
}

/** A queue with its current size and waiting time. */
export interface QueueView {
  readonly record: QueueRecord
  readonly size: number
  readonly averageMs: number
}

export interface MemberView {
  readonly callSid: string
  readonly accountSid: string
  readonly queueSid: string
  /** The time of the caller's arrival, in epoch milliseconds. */
  readonly enqueuedAt: number
  /** The position in the queue, from 1. */
  readonly position: number
  readonly waitedMs: number
}

/** A caller that the API has reserved; no dialler gets it until `giveBack`. */
export interface CalledMember extends MemberView {
  giveBack(): void
}

/** The queues of all accounts and their callers. */
export interface Queues {
  /** Implements `MarkupHost.enterQueue`. */
  enter(queued: QueuedCall, entry: QueueEntry, signal: AbortSignal): Promise<QueueOutcome>
  /** Implements `MarkupHost.dialQueue`. */
  dial(dialler: CallRecord, wanted: QueueDial, signal: AbortSignal): Promise<QueueDialAnswer>
  /** Creates a queue. Rejects with QueueNameTakenError. */
  create(accountSid: string, friendlyName: string, maxSize: number): Promise<QueueView>
  /** Resolves with a queue. Rejects with QueueNotFoundError, like every method that takes a sid. */
  fetch(accountSid: string, sid: string): Promise<QueueView>
  list(accountSid: string, page: PageRequest): Promise<Page<QueueView>>
  /** Changes a queue. Rejects with QueueNameTakenError. */
  update(accountSid: string, sid: string, change: QueueChange): Promise<QueueView>
  /** Deletes an empty queue. Rejects with QueueNotEmptyError. */
  remove(accountSid: string, sid: string): Promise<void>
  /** Lists the callers in their order. */
  members(accountSid: string, sid: string): Promise<readonly MemberView[]>
  /**
   * Resolves with a caller; `which` is the sid of a call or `Front`. Rejects with QueueMemberNotFoundError,
   * as `call` does.
   */
  member(accountSid: string, sid: string, which: string): Promise<MemberView>
  call(accountSid: string, sid: string, which: string): Promise<CalledMember>
  /** Returns the number of callers who wait or are connected. */
  liveCount(): number
}

export function createQueues(deps: QueuesDeps): Queues {
  const open = new Map<string, LiveQueue>()
  /** The stays by call sid: a call must leave one queue before its next document can put it into another. */
  const stays = new Map<string, Promise<unknown>>()

  const live = (record: QueueRecord): LiveQueue => {
    const known = open.get(record.sid)
    known?.changed(record)
    if (known !== undefined) return known
    const queue = new LiveQueue(record, () => open.delete(record.sid))
    open.set(record.sid, queue)
    return queue
  }
  return {
    enter: async (queued, entry, signal) => {
      const { sid } = queued.call()
      await Promise.allSettled([stays.get(sid)])
      signal.throwIfAborted()
      const stay = stayInQueue(queued, entry, signal, { ...deps, live })
      stays.set(sid, stay)
      try {
        return await stay
      } finally {
        if (stays.get(sid) === stay) stays.delete(sid)
      }
    },
    dial: (dialler, wanted, signal) => dialQueue(dialler, wanted, signal, { ...deps, live }),
    ...resourcesOf(open, deps),
    ...callersOf(open, deps),
    liveCount: () => [...open.values()].reduce((sum, { memberCount }) => sum + memberCount, 0),
  }
}

/**
 * Implements `MarkupHost.dialQueue`. When a reserved caller hangs up before it is connected, the next caller
 * is reserved.
 */
async function dialQueue(
  { sid: diallerSid, accountSid }: CallRecord,
  { name, announcement, timeoutMs }: QueueDial,
  signal: AbortSignal,
  { store, clock, live, events }: StayDeps,
): Promise<QueueDialAnswer> {
  const until = clock.monotonic() + timeoutMs
  for (;;) {
    const record = await store.findByName(accountSid, name)
    if (record === undefined) return { type: 'nobody', why: 'no-queue' }
    const limitMs = Math.max(0, until - clock.monotonic())
    const taken = await live(record).next({ diallerSid, announcement }, limitMs, signal)
    if (taken === 'timeout') return { type: 'nobody', why: 'timeout' }
    if (taken === 'closed') continue
    const { callSid } = taken
    const detail = { event: 'dequeues', queueSid: record.sid, callSid }
    events.append({ callSid: diallerSid, accountSid, kind: 'queue', detail })
    const ready = await readyOf(taken, signal)
    if (ready !== undefined)
      return { type: 'ready', party: partyOf(taken, ready, () => clock.monotonic()) }
  }
}

async function readyOf(
  reservation: Reservation,
  signal: AbortSignal,
): Promise<ReadyMember | undefined> {
  try {
    return await withAbort(reservation.ready, signal)
  } catch (error) {
    reservation.withdraw()
    throw error
  }
}

function partyOf(reservation: Reservation, ready: ReadyMember, now: () => number): QueuedParty {
  const since = now()
  return {
    ...ready,
    callSid: reservation.callSid,
    done: (how) => {
      reservation.finish(how)
      return { durationSeconds: Math.round((now() - since) / 1_000) }
    },
  }
}

/** The queue operations of the REST API. */
function resourcesOf(
  open: ReadonlyMap<string, LiveQueue>,
  { clock, store, db }: QueuesDeps,
): Omit<Queues, 'enter' | 'dial' | 'liveCount' | 'members' | 'member' | 'call'> {
  const viewsOf = async (records: readonly QueueRecord[]): Promise<QueueView[]> => {
    const sids = records.map(({ sid }) => sid)
    const remote = await countRemoteCallers(db, sids)
    return records.map((record) =>
      queueView(record, open.get(record.sid), remote.get(record.sid), clock.now()),
    )
  }
  const viewOf = async (record: QueueRecord): Promise<QueueView> => {
    const remote = await countRemoteCallers(db, [record.sid])
    return queueView(record, open.get(record.sid), remote.get(record.sid), clock.now())
  }

  return {
    create: async (...wanted) => viewOf(await store.create(...wanted)),
    fetch: async (accountSid, sid) => viewOf(await store.find(accountSid, sid)),
    list: async (accountSid, page) => {
      const found = await listQueues(db.read, accountSid, page)
      return { ...found, items: await viewsOf(found.items) }
    },
    update: async (accountSid, sid, change) => {
      const record = await store.change(accountSid, sid, change)
      open.get(sid)?.changed(record)
      return viewOf(record)
    },
    remove: async (accountSid, sid) => {
      await store.remove(accountSid, sid)
      open.get(sid)?.close()
    },
  }
}

/** The operations of the REST API on callers, who may wait on any node. */
function callersOf(
  open: ReadonlyMap<string, LiveQueue>,
  deps: QueuesDeps,
): Pick<Queues, 'members' | 'member' | 'call'> {
  const { store } = deps
  const members: Queues['members'] = async (accountSid, sid) => {
    const record = await store.find(accountSid, sid)
    return await everyMember(record, open.get(sid), deps)
  }
  const member: Queues['member'] = async (accountSid, sid, which) => {
    const all = await members(accountSid, sid)
    const found = which === 'Front' ? all[0] : all.find(({ callSid }) => callSid === which)
    if (found === undefined)
      throw new QueueMemberNotFoundError(`${which} does not wait in the queue ${sid}`)
    return found
  }
  return {
    members,
    member,
    call: async (accountSid, sid, which) => {
      const view = await member(accountSid, sid, which)
      const queue = open.get(sid)
      const isHere = queue?.waiting.some(({ callSid }) => callSid === view.callSid) === true
      // A caller on another node is not reserved here: a dialler there may be first.
      if (!isHere) return { ...view, giveBack: () => undefined }
      if (!queue.call(view.callSid))
        throw new QueueMemberNotFoundError(`${which} does not wait in the queue ${sid}`)
      return {
        ...view,
        giveBack: () => {
          queue.waits(view.callSid)
        },
      }
    },
  }
}

/** Returns the callers of a queue on all nodes, in the order of their arrival. */
async function everyMember(
  { sid: queueSid, accountSid }: QueueRecord,
  queue: LiveQueue | undefined,
  { clock, db }: QueuesDeps,
): Promise<readonly MemberView[]> {
  const here = (queue?.waiting ?? []).map(({ callSid, enqueuedAt, waitedMs }) => {
    return { callSid, enqueuedAt, waitedMs }
  })
  const remote = (await remoteCallers(db, queueSid)).map((caller) => {
    return { ...caller, waitedMs: clock.now() - caller.enqueuedAt }
  })
  const all =
    remote.length === 0
      ? here
      : [...here, ...remote].toSorted((one, other) => one.enqueuedAt - other.enqueuedAt)
  return all.map((caller, index) => ({ ...caller, accountSid, queueSid, position: index + 1 }))
}

function queueView(
  record: QueueRecord,
  here: LiveQueue | undefined,
  { size, arrivedAt }: RemoteCallerCount = NO_REMOTE_CALLERS,
  now: number,
): QueueView {
  const [sizeHere, averageHere] = [here?.waiting.length ?? 0, here?.averageMs ?? 0]
  const all = sizeHere + size
  const waited = sizeHere * averageHere + size * (now - arrivedAt)
  return { record, size: all, averageMs: all === 0 ? 0 : waited / all }
}

async function listQueues(
  read: Reader,
  accountSid: string,
  request: PageRequest,
): Promise<Page<QueueRecord>> {
  const matching = read.selectFrom('queues').selectAll().where('accountSid', '=', accountSid)
  return await listNewestFirst({ read, matching }, request)
}
