import type { RunningTrunkline } from '../process/trunkline.js'
import { SipPeer } from './sip-peer.js'
import { type PeerMessage, writeMessage } from './sip-peer-message.js'

const ANSWER_LIMIT_MS = 15_000
const T1_MS = 500

/** Places an ordinary call: INVITE, answer, BYE. Resolves with the time until the 200, ms. */
export async function placeGoodCall(trunkline: RunningTrunkline, user: string): Promise<number> {
  const peer = await SipPeer.open()
  try {
    const startedAt = performance.now()
    const call = peer.call(trunkline.sipPort, { user })
    await insisting(peer, trunkline.sipPort, call.invite, () =>
      call.response(200, 'INVITE', ANSWER_LIMIT_MS),
    )
    const answeredMs = performance.now() - startedAt
    call.bye()
    await call.response(200, 'BYE', ANSWER_LIMIT_MS)
    return answeredMs
  } finally {
    peer.close()
  }
}

/** Retransmits an unanswered request, as every real caller does (RFC 3261 §17.1.1.2). */
async function insisting<T>(
  peer: SipPeer,
  port: number,
  { startLine, headers, body }: PeerMessage,
  answered: () => Promise<T>,
): Promise<T> {
  const withoutLength = headers.filter(([name]) => name !== 'content-length')
  const text = writeMessage(startLine, withoutLength, body)
  let waitMs = T1_MS
  const again = (): void => {
    if (peer.log.length > 0) return
    peer.send(text, port)
    waitMs *= 2
    timer = setTimeout(again, waitMs)
  }
  let timer = setTimeout(again, waitMs)
  try {
    return await answered()
  } finally {
    clearTimeout(timer)
  }
}

/** Places calls at an interval for a duration; reports the success of each. */
export async function goodCalls(
  trunkline: RunningTrunkline,
  user: string,
  pace: { readonly everyMs: number; readonly forMs: number },
): Promise<{
  readonly placed: number
  readonly answeredMs: number[]
  readonly failures: string[]
}> {
  const answeredMs: number[] = []
  const failures: string[] = []
  const calls: Promise<void>[] = []
  const until = performance.now() + pace.forMs
  for (let next = performance.now(); next < until; next += pace.everyMs) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())))
    calls.push(
      placeGoodCall(trunkline, user).then(
        (ms) => {
          answeredMs.push(ms)
        },
        (error: unknown) => {
          failures.push(String(error))
        },
      ),
    )
  }
  await Promise.all(calls)
  return { placed: calls.length, answeredMs, failures }
}

export function p95(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? 0)
}
