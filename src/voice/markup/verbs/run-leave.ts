import { CONTINUE, type VerbContext, type VerbOutcome } from './verb-run.js'

/** Ends the waiting in a queue; a call that waits in none goes on. */
export function runLeave(_verb: unknown, { host }: VerbContext): VerbOutcome {
  if (host.purpose === 'queued') return { type: 'end', end: { type: 'left-queue' } }
  host.log({ type: 'warning', code: 12200, message: 'Leave: the call is in no queue' })
  return CONTINUE
}
