/** The prices of calls, and the balance that they may spend: see docs/billing.md. */
import { balanceOf, type Ledger } from '../../../ledger/ledger.js'
import {
  findReservation,
  InsufficientBalanceError,
  renew,
  reserve,
} from '../../../ledger/reservations.js'
import type { Clock } from '../../../platform/clock.js'
import type { Database, Reader, Writer } from '../../../platform/database/database.js'
import { type CallTerms, reserveFor, secondsFor } from '../../../rating/rate.js'
import type { RateBook } from '../../../rating/rate-book.js'
import { type CallAudio, type EndedCall, priceOf, settleCall } from '../../../rating/settle-call.js'
import { NumberBlockedError } from '../../model/call-errors.js'
import type { CallRecord } from '../../model/call-record.js'
import { findPeerIp } from '../storage/dialog-storage.js'

export interface CallChargingDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: Pick<Ledger, 'post'>
  readonly rates: RateBook
  /** The talk time in seconds that is reserved for a call, and by which a reservation is extended. */
  readonly reserveSeconds: number
}

const HOUR_MS = 3_600_000
/** Lifetime of the reservation of an unanswered call, ms: a day in the queue and some ring time. */
const UNANSWERED_LIFE_MS = 26 * HOUR_MS
/** Time beyond the paid time until a renewed reservation expires, ms. */
const AFTERLIFE_MS = HOUR_MS

export class CallCharging {
  readonly #deps: CallChargingDeps

  constructor(deps: CallChargingDeps) {
    this.#deps = deps
  }

  /**
   * Resolves with the call plus its rate terms, if it costs anything. Rejects with NumberBlockedError when
   * its rate exceeds the account's limit.
   */
  async rated(call: CallRecord): Promise<CallRecord> {
    if (isOwnBusiness(call)) return call
    const terms = await this.#termsOf(call, directionOf(call))
    return terms === undefined ? call : { ...call, terms }
  }

  /**
   * Resolves with the terms of a call that the account could afford. Rejects with NumberBlockedError as
   * `rated` does, and with InsufficientBalanceError as `reserve` does. Reserves nothing: used for calls that
   * another party places.
   */
  async checkMeans(call: Pick<CallRecord, 'accountSid' | 'to'>): Promise<CallTerms | undefined> {
    const terms = await this.#termsOf(call, 'outbound')
    if (terms === undefined || terms.perMinute === 0) return terms
    const { amount, reserved } = await balanceOf(this.#deps.db.read, terms.billedSid)
    if (reserveFor(terms, this.#deps.reserveSeconds, amount - reserved) === 0)
      throw new InsufficientBalanceError('The balance of the account is too low for this call.')
    return terms
  }

  async #termsOf(
    { accountSid, to }: Pick<CallRecord, 'accountSid' | 'to'>,
    direction: 'inbound' | 'outbound',
  ): Promise<CallTerms | undefined> {
    const verdict = await this.#deps.rates.judge({ accountSid, direction, number: to })
    switch (verdict.type) {
      case 'free':
        return undefined
      case 'rated':
        return verdict.terms
      case 'too-expensive':
        throw new NumberBlockedError(`Calls to ${to} cost more than the account allows.`)
    }
  }

  /**
   * Reserves money for the beginning of a call, in the transaction that stores it. Rejects with
   * InsufficientBalanceError when the balance does not cover the minimum.
   */
  async reserve(tx: Writer, { sid, terms }: CallRecord, now: number): Promise<void> {
    if (terms === undefined || terms.perMinute === 0) return
    await reserve(tx, {
      reference: sid,
      accountSid: terms.billedSid,
      fit: (available) => reserveFor(terms, this.#deps.reserveSeconds, available),
      now,
      expiresAt: now + UNANSWERED_LIFE_MS,
    })
  }

  /** Resolves with the paid talk time in seconds; undefined without a limit. */
  async paidSeconds({ sid, terms }: CallRecord): Promise<number | undefined> {
    if (terms === undefined || terms.perMinute === 0) return undefined
    const held = await findReservation(this.#deps.db.read, sid)
    return held === undefined ? 0 : (secondsFor(terms, held.amount) ?? 0)
  }

  /** Reserves for longer than `paidSeconds`, if the balance allows; resolves with the new paid time. */
  async renew(sid: string, terms: CallTerms, paidSeconds: number): Promise<number> {
    const { db, clock, reserveSeconds } = this.#deps
    const now = clock.now()
    const seconds = paidSeconds + reserveSeconds
    const wanted = {
      reference: sid,
      fit: (possible: number) => reserveFor(terms, seconds, possible),
      now,
      expiresAt: now + reserveSeconds * 1_000 + AFTERLIFE_MS,
    }
    const amount = await db.write((tx) => renew(tx, wanted), 'read-committed')
    return amount === undefined ? 0 : (secondsFor(terms, amount) ?? 0)
  }

  /** Returns the call with its price once it has ended. */
  priced(call: CallRecord): CallRecord {
    const { terms, endedAt } = call
    if (terms === undefined || endedAt === undefined) return call
    return { ...call, price: priceOf(terms, endedCallOf(call, endedAt)) }
  }

  /** Records and charges the call in the transaction that stores its end. Idempotent. */
  async settle(tx: Writer, call: CallRecord, audio?: CallAudio): Promise<void> {
    if (call.endedAt === undefined) return
    // Must run before the dialog's facts are deleted together with the call.
    const peerIp = call.sipOrigin?.sourceIp ?? (await peerIpOf(tx, call))
    const ended = { ...endedCallOf(call, call.endedAt), peerIp, audio }
    await settleCall(tx, ended, this.#deps.ledger)
  }

  /** Resolves with the time of the last renewal, when the call was still in progress. */
  async lastRenewal(read: Reader, { sid, terms }: CallRecord): Promise<number | undefined> {
    return terms === undefined ? undefined : (await findReservation(read, sid))?.updatedAt
  }
}

/**
 * True for a call without its own leg, and for the leg from a customer's equipment, where only the other leg
 * is charged.
 */
function isOwnBusiness({ plan: { applicationDepth, document } }: CallRecord): boolean {
  const isFromEquipment = document.type === 'bridge' && document.party.isOwn
  return applicationDepth !== undefined || isFromEquipment
}

function directionOf({ direction }: CallRecord): 'inbound' | 'outbound' {
  return direction === 'inbound' ? 'inbound' : 'outbound'
}

function peerIpOf(tx: Writer, { sid, answeredAt }: CallRecord): Promise<string> {
  return answeredAt === undefined ? Promise.resolve('') : findPeerIp(tx, sid)
}

function endedCallOf(call: CallRecord, endedAt: number): Omit<EndedCall, 'peerIp' | 'audio'> {
  return {
    sid: call.sid,
    accountSid: call.accountSid,
    direction: directionOf(call),
    status: call.status,
    callerName: call.callerName ?? '',
    from: call.from,
    to: call.to,
    isAnswered: call.answeredAt !== undefined,
    durationSeconds: call.durationSeconds ?? 0,
    terms: call.terms,
    startedAt: call.startedAt ?? call.createdAt,
    endedAt,
  }
}
