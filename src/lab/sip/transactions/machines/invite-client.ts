/**
 * INVITE client transaction (RFC 3261 §17.1.1 with RFC 6026 §7.2):
 *
 *   calling ──1xx──▶ proceeding ──2xx──▶ accepted ──M──▶ terminated
 *      │ └──2xx──────────────────────────▶│
 *      └──3xx-6xx──▶ completed ──D──▶ terminated        B, ringing, cancel, transport ──▶ terminated
 *
 * A CANCEL wanted while calling waits for the first provisional response (§9.1).
 */
import {
  arm,
  type ClientEvent,
  DELIVER,
  disarm,
  type Effect,
  go,
  SEND,
  type Step,
  type StepContext,
  TIMED_OUT,
  type TimerName,
} from './step.js'

export type InviteClient =
  | { readonly state: 'calling'; readonly interval: number; readonly isCanceling: boolean }
  | { readonly state: 'proceeding'; readonly isCanceling: boolean }
  | { readonly state: 'completed' }
  | { readonly state: 'accepted' }
  | { readonly state: 'terminated' }

const TERMINATED: InviteClient = { state: 'terminated' }
const SEND_ACK: Effect = { type: 'send-ack' }

export function startInviteClient({ timing }: StepContext): InviteClient {
  return { state: 'calling', interval: timing.t1, isCanceling: false }
}

export function stepInviteClient(
  client: InviteClient,
  event: ClientEvent,
  context: StepContext,
): Step<InviteClient> {
  switch (event.type) {
    case 'started':
      return go(client, SEND, ...retransmitAfter(context.timing.t1, context), armB(context))
    case 'response':
      return onResponse(client, event.status, context)
    case 'timer':
      return onTimer(client, event.timer, context)
    case 'cancel-requested':
      return onCancelRequested(client, context)
    case 'transport-failed':
      return client.state === 'calling'
        ? go(TERMINATED, { type: 'fail', kind: 'transport' })
        : go(client.state === 'completed' ? TERMINATED : client)
  }
}

function onResponse(
  client: InviteClient,
  status: number,
  context: StepContext,
): Step<InviteClient> {
  switch (client.state) {
    case 'calling':
    case 'proceeding':
      if (status < 200) return onProvisional(client, status, context)
      return status < 300 ? accept(client, context) : complete(client, context)
    case 'accepted':
      // RFC 6026 §7.2: each 2xx is delivered, because another branch of a fork may have answered.
      return status >= 200 && status < 300 ? go(client, DELIVER) : go(client)
    case 'completed':
      return status >= 300 ? go(client, SEND_ACK) : go(client)
    case 'terminated':
      return go(client)
  }
}

function onProvisional(
  client: Extract<InviteClient, { isCanceling: boolean }>,
  status: number,
  context: StepContext,
): Step<InviteClient> {
  const next: InviteClient = { state: 'proceeding', isCanceling: client.isCanceling }
  const isFirst = client.state === 'calling'
  const effects: Effect[] = isFirst ? [disarm('A'), disarm('B')] : []
  if (isFirst && client.isCanceling) effects.push(...sendCancel(context))
  else if (!client.isCanceling && (isFirst || status > 100))
    effects.push(arm('ringing', context.timing.ringing))
  return go(next, ...effects, DELIVER)
}

function accept(client: InviteClient, context: StepContext): Step<InviteClient> {
  return go(
    { state: 'accepted' },
    ...disarmWaits(client),
    arm('M', 64 * context.timing.t1),
    DELIVER,
  )
}

function complete(client: InviteClient, context: StepContext): Step<InviteClient> {
  // Timer D: at least 32 s for an unreliable transport, which is 64×T1 at the usual T1.
  return context.isReliable
    ? go(TERMINATED, SEND_ACK, DELIVER)
    : go(
        { state: 'completed' },
        ...disarmWaits(client),
        arm('D', 64 * context.timing.t1),
        SEND_ACK,
        DELIVER,
      )
}

function onTimer(client: InviteClient, timer: TimerName, context: StepContext): Step<InviteClient> {
  if (client.state === 'calling' && timer === 'A') {
    const interval = client.interval * 2
    return go({ ...client, interval }, SEND, ...retransmitAfter(interval, context))
  }
  if (client.state === 'calling' && timer === 'B') return go(TERMINATED, TIMED_OUT)
  if (client.state === 'proceeding' && (timer === 'ringing' || timer === 'cancel'))
    return go(TERMINATED, TIMED_OUT)
  const isOver =
    (client.state === 'completed' && timer === 'D') ||
    (client.state === 'accepted' && timer === 'M')
  return go(isOver ? TERMINATED : client)
}

function onCancelRequested(client: InviteClient, context: StepContext): Step<InviteClient> {
  if (client.state === 'calling') return go({ ...client, isCanceling: true })
  if (client.state !== 'proceeding' || client.isCanceling) return go(client)
  return go({ ...client, isCanceling: true }, disarm('ringing'), ...sendCancel(context))
}

/** Sends CANCEL; without a final response 64×T1 later the transaction is over (RFC 3261 §9.1). */
function sendCancel({ timing }: StepContext): Effect[] {
  return [{ type: 'send-cancel' }, arm('cancel', 64 * timing.t1)]
}

function retransmitAfter(interval: number, { isReliable }: StepContext): Effect[] {
  return isReliable ? [] : [arm('A', interval)]
}

function armB({ timing }: StepContext): Effect {
  return arm('B', 64 * timing.t1)
}

function disarmWaits(client: InviteClient): Effect[] {
  return client.state === 'calling'
    ? [disarm('A'), disarm('B')]
    : [disarm('ringing'), disarm('cancel')]
}
