import type { RejectVerb } from '../parse/reject.js'
import type { VerbContext, VerbOutcome } from './verb-run.js'

/** Refuses a call that nobody answered yet; once it is answered, all that is left is to hang up. */
export function runReject(verb: RejectVerb, { host }: VerbContext): VerbOutcome {
  if (host.leg.state === 'answered') return { type: 'end', end: { type: 'hangup' } }
  return { type: 'end', end: { type: 'rejected', reason: verb.reason } }
}
