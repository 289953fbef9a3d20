import type { Database, Reader } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import type { QueueDial, QueueDialAnswer, QueueEntry, QueueOutcome } from '../markup/queue-entry.js'
import type { CallRecord } from '../model/call-record.js'
import { dialQueue } from './dial-queue.js'
import { LiveQueue } from './live-queue.js'
import { QueueMemberNotFoundError } from './queue-errors.js'
import type { QueuedCall, QueueMember } from './queue-member.js'
import { type QueueRecord, toQueueRecord } from './queue-record.js'
import type { QueueChange } from './queue-store.js'
import { type StayDeps, stayInQueue } from './stay-in-queue.js'

export interface QueuesDeps extends Omit<StayDeps, 'live'> {
  readonly db: Database
}

/** A queue and its present size and waiting time. */
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

/** A caller that the API has reserved; no dialler gets it until it is given back. */
export interface CalledMember extends MemberView {
  giveBack(): void
}

/** The queues of the accounts and their callers. */
export interface Queues {
  /** Carries out `MarkupHost.enterQueue`. */
  enter(queued: QueuedCall, entry: QueueEntry, signal: AbortSignal): Promise<QueueOutcome>
  /** Carries out `MarkupHost.dialQueue`. */
  dial(dialler: CallRecord, wanted: QueueDial, signal: AbortSignal): Promise<QueueDialAnswer>
  /** Makes a queue. Rejects with QueueNameTakenError. */
  create(accountSid: string, friendlyName: string, maxSize: number): Promise<QueueView>
  /** Resolves with a queue. Rejects with QueueNotFoundError, as every method that takes a sid. */
  fetch(accountSid: string, sid: string): Promise<QueueView>
  list(accountSid: string, page: PageRequest): Promise<Page<QueueView>>
  /** Changes a queue. Rejects with QueueNameTakenError. */
  update(accountSid: string, sid: string, change: QueueChange): Promise<QueueView>
  /** Deletes an empty queue. Rejects with QueueNotEmptyError. */
  remove(accountSid: string, sid: string): Promise<void>
  /** Lists the callers in the order of the line. */
  members(accountSid: string, sid: string): Promise<readonly MemberView[]>
  /**
   * Resolves with a caller; `which` is the sid of a call or `Front`. Rejects with
   * QueueMemberNotFoundError, as `call` does.
   */
  member(accountSid: string, sid: string, which: string): Promise<MemberView>
  call(accountSid: string, sid: string, which: string): Promise<CalledMember>
  /** The number of callers who wait or are connected. */
  liveCount(): number
}

export function createQueues(deps: QueuesDeps): Queues {
  const open = new Map<string, LiveQueue>()
  /**
   * The stays by call sid: a call leaves one queue before its next document puts it into another.
   */
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
    liveCount: () => [...open.values()].reduce((sum, { memberCount }) => sum + memberCount, 0),
  }
}

/** The queue operations behind the REST API. */
function resourcesOf(
  open: ReadonlyMap<string, LiveQueue>,
  { store, db }: QueuesDeps,
): Omit<Queues, 'enter' | 'dial' | 'liveCount'> {
  const viewOf = (record: QueueRecord): QueueView => {
    const queue = open.get(record.sid)
    return { record, size: queue?.waiting.length ?? 0, averageMs: queue?.averageMs ?? 0 }
  }
  const find = async (accountSid: string, sid: string, which: string) => {
    const record = await store.find(accountSid, sid)
    const queue = open.get(record.sid)
    const waiting = queue?.waiting ?? []
    const member = which === 'Front' ? waiting[0] : waiting.find((one) => one.callSid === which)
    if (queue === undefined || member === undefined)
      throw new QueueMemberNotFoundError(`${which} does not wait in the queue ${sid}`)
    return { queue, member, view: memberView(member, waiting.indexOf(member) + 1, record) }
  }

  return {
    create: async (...wanted) => viewOf(await store.create(...wanted)),
    fetch: async (accountSid, sid) => viewOf(await store.find(accountSid, sid)),
    list: async (accountSid, page) => {
      const found = await listQueues(db.read, accountSid, page)
      return { ...found, items: found.items.map(viewOf) }
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
    members: async (accountSid, sid) => {
      const record = await store.find(accountSid, sid)
      const waiting = open.get(record.sid)?.waiting ?? []
      return waiting.map((member, index) => memberView(member, index + 1, record))
    },
    member: async (...asked) => (await find(...asked)).view,
    call: async (accountSid, sid, which) => {
      const { queue, member, view } = await find(accountSid, sid, which)
      if (!queue.call(member.callSid))
        throw new QueueMemberNotFoundError(`${which} does not wait in the queue ${sid}`)
      return {
        ...view,
        giveBack: () => {
          queue.waits(member.callSid)
        },
      }
    },
  }
}

function memberView(
  { callSid, enqueuedAt, waitedMs }: QueueMember,
  position: number,
  { sid: queueSid, accountSid }: QueueRecord,
): MemberView {
  return { callSid, accountSid, queueSid, enqueuedAt, position, waitedMs }
}

async function listQueues(
  read: Reader,
  accountSid: string,
  request: PageRequest,
): Promise<Page<QueueRecord>> {
  const matching = read.selectFrom('queues').selectAll().where('account_sid', '=', accountSid)
  const page = await listNewestFirst({ read, matching }, request)
  return { ...page, items: page.items.map(toQueueRecord) }
}
