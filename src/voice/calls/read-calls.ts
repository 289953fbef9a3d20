import type { Clock } from '../../platform/clock.js'
import type { Database, Reader } from '../../platform/database/database.js'
import type { Page, PageRequest } from '../../platform/database/newest-first.js'
import {
  type CreatedRange,
  type KeysetPage,
  listOldestFirst,
} from '../../platform/database/oldest-first.js'
import { CallNotFoundError } from '../model/call-errors.js'
import { type CallRecord, toCallRecord } from '../model/call-record.js'
import type { ShownCall } from '../model/shown-call.js'
import type { Leg } from '../telephony/port.js'
import type { LiveCalls } from './actor/live-calls.js'
import { queueMsOf } from './actor/step-record.js'
import { type CallFilter, listCalls } from './list-calls.js'
import { findCall, otherNodeOfCall } from './storage/call-storage.js'
import { KeptCalls } from './storage/kept-calls.js'

export interface CallReads {
  readonly fetch: (accountSid: string, sid: string) => Promise<CallRecord>
  /** Like `fetch`, with the fields that the API shows. */
  show(accountSid: string, sid: string): Promise<ShownCall>
  /** Resolves with the account's calls that match the filter, newest first. */
  list(accountSid: string, filter: CallFilter, page: PageRequest): Promise<Page<ShownCall>>
  /** Resolves with the call, and with its leg while it is in progress. */
  talking(
    accountSid: string,
    sid: string,
  ): Promise<{ readonly call: CallRecord; readonly leg: Leg | undefined }>
  /** Resolves with the name of the other node that runs the call; undefined when there is none. */
  otherNodeOf(accountSid: string, sid: string): Promise<string | undefined>
}

/** Reads calls: live calls of this process as they are now, all others as stored. */
export function createCallReads(
  { db, clock }: { readonly db: Pick<Database, 'engine' | 'node' | 'read'>; readonly clock: Clock },
  live: LiveCalls,
): CallReads {
  const kept = new KeptCalls(clock)
  const fetch = async (accountSid: string, sid: string): Promise<CallRecord> => {
    const actor = live.get(sid)
    const here = actor?.record.accountSid === accountSid ? actor : undefined
    if (here?.isEnding === false) return asOfNow(here.shown, clock.now())
    const call = await findCall(db.read, accountSid, sid)
    // A list, a callback or another node may report the end before this process knows that it is stored.
    if (here !== undefined && call?.endedAt === undefined) return asOfNow(here.shown, clock.now())
    if (call === undefined) throw new CallNotFoundError(`there is no call ${sid}`)
    return call
  }
  return {
    fetch,
    show: async (accountSid, sid) => {
      if (live.get(sid) !== undefined) return await fetch(accountSid, sid)
      const call = await kept.find(db.read, { accountSid, sid })
      if (call === undefined) throw new CallNotFoundError(`there is no call ${sid}`)
      return call
    },
    list: async (accountSid, filter, page) =>
      listedAsOfNow(await listCalls(db.read, accountSid, filter, page, kept), clock.now()),
    talking: async (accountSid, sid) => {
      const call = await fetch(accountSid, sid)
      return { call, leg: live.get(call.sid)?.talkingLeg }
    },
    otherNodeOf: async (accountSid, sid) =>
      live.get(sid) === undefined ? await otherNodeOfCall(db, { accountSid, sid }) : undefined,
  }
}

/** Returns the call with its queue time, which grows while it is queued. */
export function asOfNow<Call extends ShownCall>(call: Call, now: number): Call {
  const queueMs = queueMsOf(call, now)
  return queueMs === call.queueMs ? call : { ...call, queueMs }
}

function listedAsOfNow(page: Page<ShownCall>, now: number): Page<ShownCall> {
  return { ...page, items: page.items.map((call) => asOfNow(call, now)) }
}

/** Returns calls of the account that were created in a time range, oldest first. */
export async function createdCalls(
  read: Reader,
  accountSid: string,
  range: CreatedRange,
  page: KeysetPage,
): Promise<readonly CallRecord[]> {
  const matching = read.selectFrom('calls').selectAll().where('accountSid', '=', accountSid)
  return (await listOldestFirst(matching, range, page)).map(toCallRecord)
}
