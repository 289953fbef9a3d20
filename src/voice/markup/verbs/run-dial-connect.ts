import { LegEndedError } from '../../media/port.js'
import type { DialVerb } from '../parse/dial.js'
import type { ReadyParty } from './run-dial-party.js'
import type { DialRecorder } from './run-dial-record.js'
import type { VerbContext } from './verb-run.js'

class PartedError extends Error {
  override readonly name = 'PartedError'
}

/** Lets caller and called party talk until one hangs up, is taken away, or their time is over. */
export async function connectLegs(
  party: Pick<ReadyParty, 'leg' | 'signal'>,
  { timeLimitMs, hangupOnStar }: DialVerb,
  { host, signal, sleep }: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<void> {
  await host.answer(signal)
  await recorder.answered()
  const together = new AbortController()
  const part = () => {
    together.abort(new PartedError('the two are parted'))
  }
  const unsubscribe = host.onDigit(({ digit }) => {
    if (hangupOnStar && digit === '*') part()
  })
  signal.addEventListener('abort', part)
  party.signal.addEventListener('abort', part)
  if (signal.aborted || party.signal.aborted) part()
  const limit = sleep(timeLimitMs, together.signal).then(part, () => undefined)
  try {
    await host.leg.bridge(party.leg, together.signal)
  } catch (error) {
    // They had no time to talk: the called party's end is on its way.
    if (!(error instanceof LegEndedError) || party.leg.state !== 'ended') throw error
  } finally {
    part()
    unsubscribe()
    signal.removeEventListener('abort', part)
    party.signal.removeEventListener('abort', part)
    await limit
  }
}
