import { CONTINUE, type VerbContext, type VerbOutcome } from './verb-run.js'

/** Leave: ends the wait in a queue. Without a queue the document continues. */
export function runLeave(_verb: unknown, { host }: VerbContext): VerbOutcome {
  if (host.purpose === 'queued') return { type: 'end', end: { type: 'left-queue' } }
  host.log({ type: 'warning', code: 12200, message: 'Leave: the call is in no queue' })
  return CONTINUE
}
