import { CallNotInProgressError } from '../model/call-errors.js'
import type { UpdateCall } from '../model/call-plan.js'
import { type CallDocument, type CallPlan, changedStatusCallback } from '../model/call-plan.js'
import type { CallActor } from './actor/call-actor.js'

/**
 * Changes a live call of this node. Rejects with CallNotInProgressError, without any change, when a call that
 * cannot run a document is given one.
 */
export async function changeCall(actor: CallActor, change: UpdateCall): Promise<void> {
  const changed = (plan: CallPlan) => changedPlan(plan, change)
  if (change.end === undefined && change.document !== undefined) {
    await redirect(actor, change.document, changed)
    return
  }
  if (change.statusCallback !== undefined || change.timeLimitSeconds !== undefined)
    await actor.changePlan(changed)
  if (change.end !== undefined) await actor.dispatch({ type: 'hangup-requested' })
}

async function redirect(
  actor: CallActor,
  document: CallDocument,
  changed: (plan: CallPlan) => CallPlan,
): Promise<void> {
  const { plan, sid } = actor.record
  // The leg runs the document of the called party's call.
  if (plan.document.type === 'shared-leg')
    throw new CallNotInProgressError(`call ${sid} runs no document`)
  await actor.redirect(document, changed)
}

function changedPlan(plan: CallPlan, change: UpdateCall): CallPlan {
  const { timeLimitSeconds } = change
  const statusCallback = changedStatusCallback(plan.statusCallback, change.statusCallback ?? {})
  return {
    ...plan,
    ...(statusCallback === undefined ? {} : { statusCallback }),
    ...(timeLimitSeconds === undefined ? {} : { timeLimitSeconds }),
  }
}
