/**
 * Non-INVITE client transaction (RFC 3261 §17.1.2):
 *
 *   trying ──1xx──▶ proceeding ──200-699──▶ completed ──K──▶ terminated
 *      └──200-699──────────────────────────▶│            F, transport ──▶ terminated
 */
import {
  arm,
  type ClientEvent,
  DELIVER,
  disarm,
  go,
  SEND,
  type Step,
  type StepContext,
  TIMED_OUT,
  type TimerName,
} from './step.js'

export type NonInviteClient =
  | { readonly state: 'trying'; readonly interval: number }
  | { readonly state: 'proceeding' }
  | { readonly state: 'completed' }
  | { readonly state: 'terminated' }

const TERMINATED: NonInviteClient = { state: 'terminated' }

export function startNonInviteClient({ timing }: StepContext): NonInviteClient {
  return { state: 'trying', interval: timing.t1 }
}

export function stepNonInviteClient(
  client: NonInviteClient,
  event: ClientEvent,
  context: StepContext,
): Step<NonInviteClient> {
  const isPending = client.state === 'trying' || client.state === 'proceeding'
  switch (event.type) {
    case 'started': {
      const limit = arm('F', 64 * context.timing.t1)
      return context.isReliable
        ? go(client, SEND, limit)
        : go(client, SEND, arm('E', context.timing.t1), limit)
    }
    case 'response':
      if (!isPending) return go(client)
      return event.status < 200 ? go({ state: 'proceeding' }, DELIVER) : complete(context)
    case 'timer':
      return onTimer(client, event.timer, context)
    case 'transport-failed':
      return isPending ? go(TERMINATED, { type: 'fail', kind: 'transport' }) : go(client)
    case 'cancel-requested':
      // RFC 3261 §9.1: only an INVITE can be cancelled.
      return go(client)
  }
}

function complete({ timing, isReliable }: StepContext): Step<NonInviteClient> {
  return isReliable
    ? go(TERMINATED, DELIVER)
    : go({ state: 'completed' }, disarm('E'), disarm('F'), arm('K', timing.t4), DELIVER)
}

function onTimer(
  client: NonInviteClient,
  timer: TimerName,
  { timing }: StepContext,
): Step<NonInviteClient> {
  if (client.state === 'completed') return go(timer === 'K' ? TERMINATED : client)
  if (client.state === 'terminated') return go(client)
  if (timer === 'F') return go(TERMINATED, TIMED_OUT)
  if (timer !== 'E') return go(client)
  if (client.state === 'proceeding') return go(client, SEND, arm('E', timing.t2))
  const interval = Math.min(client.interval * 2, timing.t2)
  return go({ state: 'trying', interval }, SEND, arm('E', interval))
}
