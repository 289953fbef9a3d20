/** Settles an ended call: its record, its charge and its reservation. */
import type { Ledger } from '../ledger/ledger.js'
import { release } from '../ledger/reservations.js'
import type { Writer } from '../platform/database/database.js'
import { type Cdr, insertCdr } from './cdrs.js'
import { billedSeconds, type CallTerms, costOf } from './rate.js'

export interface EndedCall {
  readonly sid: string
  readonly accountSid: string
  readonly direction: 'inbound' | 'outbound'
  readonly status: string
  /** Network address of the other party; empty when unknown. */
  readonly peerIp: string
  readonly callerName: string
  readonly from: string
  readonly to: string
  readonly isAnswered: boolean
  readonly durationSeconds: number
  /** Undefined for a free call. */
  readonly terms: CallTerms | undefined
  readonly startedAt: number
  readonly endedAt: number
  /** What the media server counted of the call's own leg; undefined without an answer. */
  readonly audio?: CallAudio | undefined
}

/** The figures of a leg's audio that its CDR keeps. */
export type CallAudio = Pick<
  Cdr,
  'codec' | 'packetsReceived' | 'packetsSent' | 'lossPercent' | 'jitterMs' | 'mos'
>

const NO_AUDIO: CallAudio = {
  codec: null,
  packetsReceived: null,
  packetsSent: null,
  lossPercent: null,
  jitterMs: null,
  mos: null,
}

/** Price of a call in 1/10,000 dollar; an unanswered call is free. */
export function priceOf(
  terms: CallTerms,
  call: Pick<EndedCall, 'isAnswered' | 'durationSeconds'>,
): number {
  return call.isAnswered ? costOf(terms, ratedSeconds(terms, call)) : 0
}

function ratedSeconds(
  { paidSeconds }: CallTerms,
  { durationSeconds }: Pick<EndedCall, 'durationSeconds'>,
): number {
  return paidSeconds === undefined ? durationSeconds : Math.min(durationSeconds, paidSeconds)
}

/** Settles the call in the transaction of its final status. A settled call is left alone. */
export async function settleCall(
  tx: Writer,
  call: EndedCall,
  ledger: Pick<Ledger, 'post'>,
): Promise<void> {
  const { terms, audio = NO_AUDIO } = call
  const price = terms === undefined ? 0 : priceOf(terms, call)
  const isNew = await insertCdr(tx, {
    callSid: call.sid,
    accountSid: call.accountSid,
    billedSid: terms?.billedSid ?? call.accountSid,
    direction: call.direction,
    status: call.status,
    ip: call.peerIp,
    callerName: call.callerName,
    caller: call.from,
    destination: call.to,
    durationSeconds: call.durationSeconds,
    billedSeconds:
      terms !== undefined && call.isAnswered ? billedSeconds(terms, ratedSeconds(terms, call)) : 0,
    perMinute: terms?.perMinute ?? null,
    amount: price,
    startedAt: call.startedAt,
    endedAt: call.endedAt,
    codec: audio.codec,
    packetsReceived: audio.packetsReceived,
    packetsSent: audio.packetsSent,
    lossPercent: audio.lossPercent,
    jitterMs: audio.jitterMs,
    mos: audio.mos,
  })
  if (!isNew || terms === undefined) return
  await release(tx, call.sid)
  if (price === 0) return
  await ledger.post(tx, {
    key: `call:${call.sid}`,
    accountSid: call.accountSid,
    billedSid: terms.billedSid,
    cause: 'call',
    kind: call.direction,
    reference: call.sid,
    amount: -price,
    description: `Call ${call.from} to ${call.to}`,
    at: call.endedAt,
  })
}
