/**
 * The answer rule is in `needs`: a Pause waits with picking up, a Reject refuses an unanswered call,
 * everything else that runs answers first.
 */
import { assertNever } from '../../../platform/errors.js'
import type { Verb } from '../parse/verb.js'
import { logVerb } from './log-verb.js'
import { runGather } from './run-gather.js'
import { runPause } from './run-pause.js'
import { runPlay } from './run-play.js'
import { runRedirect } from './run-redirect.js'
import { runReject } from './run-reject.js'
import { runSay } from './run-say.js'
import { CONTINUE, type VerbContext, type VerbOutcome } from './verb-run.js'

type Needs = 'answered' | 'nothing'

const NEEDS: Readonly<Record<Verb['type'], Needs>> = {
  say: 'answered',
  play: 'answered',
  gather: 'answered',
  redirect: 'answered',
  hangup: 'answered',
  pause: 'nothing',
  reject: 'nothing',
  other: 'nothing',
}

export async function runVerb(verb: Verb, context: VerbContext): Promise<VerbOutcome> {
  const { host, signal } = context
  logVerb(verb, host)
  if (NEEDS[verb.type] === 'answered') await host.answer(signal)
  switch (verb.type) {
    case 'say':
      await runSay(verb, context)
      return CONTINUE
    case 'play':
      await runPlay(verb, context)
      return CONTINUE
    case 'pause':
      await runPause(verb, context)
      return CONTINUE
    case 'gather':
      return runGather(verb, context)
    case 'redirect':
      return runRedirect(verb, context)
    case 'reject':
      return runReject(verb, context)
    case 'hangup':
      return { type: 'end', end: { type: 'hangup' } }
    case 'other':
      host.log({ type: 'warning', code: 12200, message: `<${verb.element.name}> is not supported` })
      return CONTINUE
    default:
      return assertNever(verb)
  }
}
