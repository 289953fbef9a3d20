import { waitUntil } from '../time/wait-until.js'
import type { PeerCall, SipPeer } from './sip-peer.js'
import { headerOf } from './sip-peer-message.js'

const LIMIT_MS = 30_000

/** One INVITE and its outcome. */
export interface OfferedCall {
  readonly call: PeerCall
  /** Time from the INVITE to its final response, ms. */
  readonly ms: number
  readonly status: number
  readonly retryAfter: string
}

/** Sends `count` INVITEs to `user`, one every `everyMs` ms; resolves once all have final responses. */
export async function offerCalls(
  peer: SipPeer,
  port: number,
  offer: { readonly user: string; readonly count: number; readonly everyMs: number },
): Promise<readonly OfferedCall[]> {
  const startedAt = performance.now()
  const offered: Promise<OfferedCall>[] = []
  for (let index = 0; index < offer.count; index++) {
    const waitMs = startedAt + index * offer.everyMs - performance.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    offered.push(finalAnswer(peer.call(port, { user: offer.user })))
  }
  return Promise.all(offered)
}

async function finalAnswer(call: PeerCall): Promise<OfferedCall> {
  const startedAt = performance.now()
  const final = () => call.log.find(({ status }) => status !== undefined && status >= 200)
  await waitUntil(
    'a final answer',
    () => final() !== undefined,
    LIMIT_MS,
    () => call.log.map(({ startLine }) => startLine),
  )
  const answer = final()
  return {
    call,
    ms: performance.now() - startedAt,
    status: answer?.status ?? 0,
    retryAfter: answer === undefined ? '' : headerOf(answer, 'retry-after'),
  }
}

/** Hangs up the answered calls; resolves once each BYE has a response. A BYE for an ended call gets none. */
export async function hangUp(offered: readonly OfferedCall[]): Promise<number> {
  const answered = offered.filter(({ status }) => status === 200)
  for (const { call } of answered) call.bye()
  await Promise.all(answered.map(({ call }) => call.response(200, 'BYE', LIMIT_MS)))
  return answered.length
}
