/**
 * Non-INVITE server transaction (RFC 3261 §17.2.2):
 *
 *   trying ──1xx──▶ proceeding ──200-699──▶ completed ──J──▶ terminated
 *      └──200-699──────────────────────────▶│
 *
 * A request that the user leaves without a final response for 64×T1 has been given up by its client
 * (timer F there), and an answer would only be a stray: it ends unanswered (RFC 4320 §4.2).
 */
import {
  arm,
  disarm,
  go,
  SEND,
  type ServerEvent,
  type Step,
  type StepContext,
  TIMED_OUT,
  type TimerName,
} from './step.js'

export type NonInviteServer =
  | { readonly state: 'trying' }
  | { readonly state: 'proceeding' }
  | { readonly state: 'completed' }
  | { readonly state: 'terminated' }

const TERMINATED: NonInviteServer = { state: 'terminated' }

export function startNonInviteServer(): NonInviteServer {
  return { state: 'trying' }
}

export function stepNonInviteServer(
  server: NonInviteServer,
  event: ServerEvent,
  context: StepContext,
): Step<NonInviteServer> {
  switch (event.type) {
    case 'started':
      return go(server, arm('F', 64 * context.timing.t1))
    case 'request':
      return server.state === 'proceeding' || server.state === 'completed'
        ? go(server, SEND)
        : go(server)
    case 'respond':
      return respond(server, event.status, context)
    case 'timer':
      return onTimer(server, event.timer)
    case 'ack':
    case 'ack-received':
      return go(server)
  }
}

function respond(
  server: NonInviteServer,
  status: number,
  { timing, isReliable }: StepContext,
): Step<NonInviteServer> {
  if (server.state !== 'trying' && server.state !== 'proceeding') return go(server)
  if (status < 200) return go({ state: 'proceeding' }, SEND)
  return isReliable
    ? go(TERMINATED, SEND)
    : go({ state: 'completed' }, disarm('F'), SEND, arm('J', 64 * timing.t1))
}

function onTimer(server: NonInviteServer, timer: TimerName): Step<NonInviteServer> {
  if (server.state === 'completed') return go(timer === 'J' ? TERMINATED : server)
  return timer === 'F' && server.state !== 'terminated' ? go(TERMINATED, TIMED_OUT) : go(server)
}
