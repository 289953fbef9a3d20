import { LegEndedError } from '../../../telephony/port.js'
import type { DialVerb } from '../../parse/dial.js'
import type { VerbContext } from '../verb-run.js'
import type { ReadyParty } from './dial-party.js'
import type { DialRecorder } from './dial-recorder.js'
import { followReferrals, type Parting } from './referrals.js'

/** A party of a bridge. Without `takeAway` it neither refers the caller nor is referred. */
export type ConnectedParty = Pick<ReadyParty, 'leg' | 'signal'> &
  Partial<Pick<ReadyParty, 'takeAway'>>

class PartedError extends Error {
  override readonly name = 'PartedError'
}

/** Bridges caller and called party until one hangs up or is taken away, or until the time limit. */
export async function connectLegs(
  party: ConnectedParty,
  verb: DialVerb,
  context: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<Parting> {
  const { host, signal, sleep } = context
  await host.answer(signal)
  await recorder.answered()
  const together = new AbortController()
  const part = () => {
    together.abort(new PartedError('caller and called party have parted'))
  }
  const unsubscribe = host.leg.digits.subscribe(({ digit }) => {
    if (verb.hangupOnStar && digit === '*') part()
  })
  const { takeAway } = party
  const referrals = takeAway && followReferrals({ ...party, takeAway }, verb, context, part)
  signal.addEventListener('abort', part)
  party.signal.addEventListener('abort', part)
  if (signal.aborted || party.signal.aborted) part()
  const limit = sleep(verb.timeLimitMs, together.signal).then(part, () => undefined)
  try {
    await host.leg.media.bridge(party.leg.media, together.signal)
  } catch (error) {
    // One of the two hung up before the bridge was made; the end of its call follows.
    if (!(error instanceof LegEndedError)) throw error
  } finally {
    part()
    unsubscribe()
    referrals?.end()
    signal.removeEventListener('abort', part)
    party.signal.removeEventListener('abort', part)
    await limit
  }
  return referrals?.parting ?? { type: 'parted' }
}
