/**
 * Runs one verb. `needs` decides whether the call is answered first: a Pause waits without answering, a
 * Reject refuses, most others answer.
 */
import type { MarkupHost } from '../host.js'
import type { Verb } from '../parse/verb.js'
import { runDial } from './dial/run-dial.js'
import { logVerb } from './log-verb.js'
import { runConnect } from './run-connect.js'
import { runEnqueue } from './run-enqueue.js'
import { runGather } from './run-gather.js'
import { runLeave } from './run-leave.js'
import { runPause } from './run-pause.js'
import { runPlay } from './run-play.js'
import { runRecord } from './run-record.js'
import { runRedirect } from './run-redirect.js'
import { runRefer } from './run-refer.js'
import { runReject } from './run-reject.js'
import { runSay } from './run-say.js'
import { runStart } from './run-start.js'
import { runStop } from './run-stop.js'
import { CONTINUE, DocumentError, type VerbContext, type VerbOutcome } from './verb-run.js'

type VerbOf<Type extends Verb['type']> = Extract<Verb, { type: Type }>

interface Running<V extends Verb> {
  readonly needs: 'answered' | 'nothing'
  readonly run: (verb: V, context: VerbContext) => VerbOutcome | Promise<VerbOutcome>
}

/** Wraps a verb without a result: the next verb follows it. */
const continuing =
  <V extends Verb>(run: (verb: V, context: VerbContext) => Promise<void>): Running<V>['run'] =>
  async (verb, context) => {
    await run(verb, context)
    return CONTINUE
  }

const UNSUPPORTED: Running<Verb> = {
  needs: 'nothing',
  run: ({ element }, { host }) => {
    host.log({ type: 'error', code: 13750, message: `<${element.name}> is not supported` })
    return CONTINUE
  },
}

const WHILE_WAITING: readonly Verb['type'][] = ['say', 'play', 'pause', 'redirect']
const WHILE_QUEUED: readonly Verb['type'][] = [...WHILE_WAITING, 'gather', 'hangup', 'leave']

const VERBS: { readonly [Type in Verb['type']]: Running<VerbOf<Type>> } = {
  say: { needs: 'answered', run: continuing(runSay) },
  play: { needs: 'answered', run: continuing(runPlay) },
  gather: { needs: 'answered', run: runGather },
  // Dial itself answers the caller: before it dials, or when the called party has answered.
  dial: { needs: 'nothing', run: runDial },
  redirect: { needs: 'answered', run: runRedirect },
  hangup: { needs: 'answered', run: () => ({ type: 'end', end: { type: 'hangup' } }) },
  pause: { needs: 'nothing', run: continuing(runPause) },
  reject: { needs: 'nothing', run: runReject },
  record: { needs: 'answered', run: runRecord },
  refer: { needs: 'answered', run: runRefer },
  enqueue: { needs: 'answered', run: runEnqueue },
  leave: { needs: 'nothing', run: runLeave },
  connect: { needs: 'answered', run: runConnect },
  start: { needs: 'answered', run: continuing(runStart) },
  stop: { needs: 'nothing', run: continuing(runStop) },
  other: UNSUPPORTED,
}

export async function runVerb(verb: Verb, context: VerbContext): Promise<VerbOutcome> {
  const { host, signal } = context
  logVerb(verb, host)
  if (!isAllowed(verb, host.purpose))
    throw new DocumentError(13238, `<${verb.element.name}> is not allowed while somebody waits`)
  // The type of VERBS ties each row to its verb, but TypeScript cannot infer that here.
  const { needs, run } = VERBS[verb.type] as Running<Verb>
  if (needs === 'answered') await host.answer(signal)
  return run(verb, context)
}

function isAllowed({ type }: Verb, purpose: MarkupHost['purpose']): boolean {
  if (purpose === 'waiting') return WHILE_WAITING.includes(type)
  return purpose !== 'queued' || WHILE_QUEUED.includes(type)
}
