/**
 * INVITE server transaction (RFC 3261 §17.2.1 with RFC 6026 §7.1), and the user agent's retransmission
 * of its 2xx (§13.3.1.4), which ends with the ACK that the user reports:
 *
 *   proceeding ──3xx-6xx──▶ completed ──ACK──▶ confirmed ──I──▶ terminated
 *       │                        └──H: no ACK──▶ terminated
 *       └──2xx──▶ accepted ──L──▶ terminated, as a time-out when no ACK came
 *
 * Over UDP the source of a request may be forged. A peer that has proved nothing yet gets its 100 as
 * late as §17.2.1 allows; a refusal before that is sent once, and again for each copy of the INVITE
 * (§26.3.2.4). A peer that heard no 100 sends copies until it hears the refusal (§17.1.1.2).
 */
import {
  arm,
  disarm,
  type Effect,
  go,
  SEND,
  type ServerEvent,
  type Step,
  type StepContext,
  TIMED_OUT,
  type TimerName,
} from './step.js'

export type InviteServer =
  | { readonly state: 'proceeding'; readonly hasAnswered: boolean }
  | { readonly state: 'completed'; readonly interval: number }
  | { readonly state: 'confirmed' }
  | { readonly state: 'accepted'; readonly interval: number; readonly isAcked: boolean }
  | { readonly state: 'terminated' }

export interface InviteContext extends StepContext {
  /** True when what we send surely reaches who sent the request. */
  readonly isProven: boolean
}

/** The latest that the 100 may be sent (RFC 3261 §17.2.1). */
const LATEST_TRYING_MS = 200

const TERMINATED: InviteServer = { state: 'terminated' }
const SEND_TRYING: Effect = { type: 'send-trying' }

export function startInviteServer(): InviteServer {
  return { state: 'proceeding', hasAnswered: false }
}

export function stepInviteServer(
  server: InviteServer,
  event: ServerEvent,
  context: InviteContext,
): Step<InviteServer> {
  switch (event.type) {
    case 'started':
      return start(server, context)
    case 'request':
      return onRetransmission(server)
    case 'respond':
      return server.state === 'proceeding' ? respond(server, event.status, context) : go(server)
    case 'timer':
      return onTimer(server, event.timer, context)
    case 'ack':
      return server.state === 'completed' ? confirm(context) : go(server)
    case 'ack-received':
      return server.state === 'accepted' && !server.isAcked
        ? go({ ...server, isAcked: true }, disarm('G'))
        : go(server)
  }
}

function start(server: InviteServer, { timing, isProven }: InviteContext): Step<InviteServer> {
  const limit = arm('ringing', timing.ringing)
  const trying = isProven ? timing.trying : Math.max(timing.trying, LATEST_TRYING_MS)
  return trying === 0
    ? go({ state: 'proceeding', hasAnswered: true }, SEND_TRYING, limit)
    : go(server, arm('trying', trying), limit)
}

function confirm({ timing, isReliable }: StepContext): Step<InviteServer> {
  if (isReliable) return go(TERMINATED)
  return go({ state: 'confirmed' }, disarm('G'), disarm('H'), arm('I', timing.t4))
}

function onRetransmission(server: InviteServer): Step<InviteServer> {
  const isAnswered = server.state === 'proceeding' && server.hasAnswered
  // RFC 6026 §7.1: in accepted it is absorbed, since the 2xx has its own retransmission.
  return isAnswered || server.state === 'completed' ? go(server, SEND) : go(server)
}

function respond(
  { hasAnswered }: Extract<InviteServer, { hasAnswered: boolean }>,
  status: number,
  { timing, isReliable, isProven }: InviteContext,
): Step<InviteServer> {
  if (status < 200) {
    // RFC 3261 §13.3.1.1: progress that is shown again keeps the call alive.
    const effects = [disarm('trying'), arm('ringing', timing.ringing), SEND]
    return go({ state: 'proceeding', hasAnswered: true }, ...effects)
  }
  const waits = [disarm('trying'), disarm('ringing'), SEND]
  const limit = 64 * timing.t1
  if (status < 300) {
    // Over a reliable transport too: a proxy may forward it over another one (§13.3.1.4).
    const accepted: InviteServer = { state: 'accepted', interval: timing.t1, isAcked: false }
    return go(accepted, ...waits, arm('G', timing.t1), arm('L', limit))
  }
  const completed: InviteServer = { state: 'completed', interval: timing.t1 }
  const isSentOnce = isReliable || (!isProven && !hasAnswered)
  return isSentOnce
    ? go(completed, ...waits, arm('H', limit))
    : go(completed, ...waits, arm('G', timing.t1), arm('H', limit))
}

function onTimer(server: InviteServer, timer: TimerName, context: StepContext): Step<InviteServer> {
  switch (server.state) {
    case 'proceeding':
      if (timer === 'ringing') return go(TERMINATED, TIMED_OUT)
      return timer === 'trying' && !server.hasAnswered
        ? go({ state: 'proceeding', hasAnswered: true }, SEND_TRYING)
        : go(server)
    case 'completed':
      if (timer === 'H') return go(TERMINATED, TIMED_OUT)
      return timer === 'G' ? sendAgain(server, context) : go(server)
    case 'accepted':
      return onTimerInAccepted(server, timer, context)
    case 'confirmed':
      return go(timer === 'I' ? TERMINATED : server)
    case 'terminated':
      return go(server)
  }
}

function onTimerInAccepted(
  server: Extract<InviteServer, { isAcked: boolean }>,
  timer: TimerName,
  context: StepContext,
): Step<InviteServer> {
  if (timer === 'L') return server.isAcked ? go(TERMINATED) : go(TERMINATED, TIMED_OUT)
  return timer === 'G' && !server.isAcked ? sendAgain(server, context) : go(server)
}

function sendAgain(
  server: Extract<InviteServer, { interval: number }>,
  { timing }: StepContext,
): Step<InviteServer> {
  const interval = Math.min(server.interval * 2, timing.t2)
  return go({ ...server, interval }, SEND, arm('G', interval))
}
