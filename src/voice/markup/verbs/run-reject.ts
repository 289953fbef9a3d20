import type { RejectVerb } from '../parse/reject.js'
import type { VerbContext, VerbOutcome } from './verb-run.js'

/** Reject: refuses an unanswered call, and hangs up an answered one. */
export function runReject(verb: RejectVerb, { host }: VerbContext): VerbOutcome {
  if (host.leg.state === 'answered') return { type: 'end', end: { type: 'hangup' } }
  return { type: 'end', end: { type: 'rejected', reason: verb.reason } }
}
