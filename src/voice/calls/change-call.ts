import type { UpdateCall } from '../model/call-change.js'
import { CallNotInProgressError } from '../model/call-errors.js'
import { type CallDocument, type CallPlan, changedStatusCallback } from '../model/call-plan.js'
import type { CallActor } from './actor/call-actor.js'

/**
 * Changes a live call of this node. Rejects with CallNotInProgressError where a call that runs no
 * document is given one.
 */
export async function changeCall(actor: CallActor, change: UpdateCall): Promise<void> {
  if (change.statusCallback !== undefined || change.timeLimitSeconds !== undefined)
    await actor.changePlan((plan) => changedPlan(plan, change))
  if (change.end !== undefined) await actor.dispatch({ type: 'hangup-requested' })
  else if (change.document !== undefined) await redirect(actor, change.document)
}

async function redirect(actor: CallActor, document: CallDocument): Promise<void> {
  const { plan, sid } = actor.record
  // The leg has the document of the called party's call.
  if (plan.document.type === 'shared-leg')
    throw new CallNotInProgressError(`call ${sid} runs no document`)
  await actor.redirect(document)
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
