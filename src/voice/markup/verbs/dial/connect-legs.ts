import { linkAbort } from '../../../../platform/async/abort.js'
import { LegEndedError } from '../../../telephony/port.js'
import type { DocumentRequest } from '../../document.js'
import type { DialVerb } from '../../parse/dial.js'
import type { VerbContext } from '../verb-run.js'
import type { ReadyParty } from './dial-party.js'
import type { DialRecorder } from './dial-recorder.js'
import { type BridgeControl, followReferrals, type Separation } from './referrals.js'

/** A party of a bridge. Without `referable` it can neither send REFERs nor be transferred. */
export interface ConnectedParty extends Pick<ReadyParty, 'leg' | 'signal'> {
  readonly referable?: Pick<ReadyParty, 'takeAway' | 'release' | 'done'>
}

/** How the connection of the caller and a party ended. */
export type Parting =
  | { readonly type: 'parted' }
  /** The called party sent the REFER; the caller continues with this document. */
  | { readonly type: 'referred-by-party'; readonly request: DocumentRequest }
  /** The caller sent the REFER; the called party continues without it. */
  | { readonly type: 'referred-by-caller' }
  /** The caller has left, and the called party talks with another party until `over` resolves. */
  | { readonly type: 'transferred-by-caller'; readonly over: Promise<void> }

class PartedError extends Error {
  override readonly name = 'PartedError'
}

/**
 * Bridges caller and called party until one hangs up or is transferred, or until the time limit. After an
 * attended transfer of the called party, the caller is connected with the new one.
 */
export async function connectLegs(
  party: ConnectedParty,
  verb: DialVerb,
  context: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<Parting> {
  const { host, signal } = context
  await host.answer(signal)
  await recorder.answered()
  const left = host.letTalk([host.leg, party.leg], verb.timeLimitMs)
  let transferred: Promise<void> | undefined
  try {
    const parting = await talkTogether(party, verb, context)
    if (parting.type === 'transferred-by-caller') transferred = parting.over
    return parting
  } finally {
    if (transferred === undefined) left()
    else void transferred.then(left, left)
  }
}

async function talkTogether(
  party: ConnectedParty,
  verb: DialVerb,
  context: VerbContext,
): Promise<Parting> {
  const talk = watchCaller(verb, context)
  try {
    const separation = await bridgeParty(party, verb, context, talk)
    if (separation.type !== 'left') return separation
    const { who, transfer } = separation
    if (who === 'caller')
      return { type: 'transferred-by-caller', over: transfer.join(party.leg, party.signal) }
    party.referable?.done()
    await transfer.join(context.host.leg, talk.signal)
    return { type: 'parted' }
  } finally {
    await talk.end()
  }
}

interface CallerTalk extends BridgeControl {
  /** Resolves when all listeners and timers are released. */
  end(): Promise<void>
}

/** Ends the caller's connection at the time limit, at `*` (hangupOnStar), and with the document. */
function watchCaller(verb: DialVerb, { host, signal, sleep }: VerbContext): CallerTalk {
  const talk = new AbortController()
  const part = () => {
    talk.abort(new PartedError('caller and called party have parted'))
  }
  const unsubscribe = host.leg.digits.subscribe(({ digit }) => {
    if (verb.hangupOnStar && digit === '*') part()
  })
  signal.addEventListener('abort', part)
  if (signal.aborted) part()
  const limit = sleep(verb.timeLimitMs, talk.signal).then(part, () => undefined)
  return {
    signal: talk.signal,
    part,
    end: async () => {
      part()
      unsubscribe()
      signal.removeEventListener('abort', part)
      await limit
    },
  }
}

async function bridgeParty(
  party: ConnectedParty,
  verb: DialVerb,
  context: VerbContext,
  talk: CallerTalk,
): Promise<Separation> {
  const { host } = context
  const parted = new AbortController()
  using together = linkAbort([parted.signal, talk.signal, party.signal])
  const { referable } = party
  const referrals =
    referable &&
    followReferrals({ ...referable, leg: party.leg }, verb, context, {
      signal: together.signal,
      part: () => {
        parted.abort(new PartedError('caller and called party have parted'))
      },
    })
  let isOver = false
  try {
    await host.leg.media.bridge(party.leg.media, together.signal)
    isOver = true
  } catch (error) {
    // One side hung up before the bridge was made; the end of its call follows.
    if (!(error instanceof LegEndedError)) throw error
    isOver = true
  } finally {
    parted.abort(new PartedError('the bridge is over'))
    referrals?.end()
    if (!isOver && referrals?.separation.type === 'left') referrals.separation.transfer.abandon()
  }
  return referrals?.separation ?? { type: 'parted' }
}
