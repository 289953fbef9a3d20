import { describe, expect, it } from 'vitest'
import { DEFAULT_TIMING } from '../../../../../src/lab/sip/model/stack-types.js'
import {
  startInviteClient,
  stepInviteClient,
} from '../../../../../src/lab/sip/transactions/machines/invite-client.js'
import {
  type InviteContext,
  startInviteServer,
  stepInviteServer,
} from '../../../../../src/lab/sip/transactions/machines/invite-server.js'
import {
  startNonInviteClient,
  stepNonInviteClient,
} from '../../../../../src/lab/sip/transactions/machines/non-invite-client.js'
import {
  startNonInviteServer,
  stepNonInviteServer,
} from '../../../../../src/lab/sip/transactions/machines/non-invite-server.js'
import {
  type ClientEvent,
  type Effect,
  type ServerEvent,
  type Step,
  type StepContext,
  type TimerName,
} from '../../../../../src/lab/sip/transactions/machines/step.js'

const UDP: StepContext = { timing: DEFAULT_TIMING, isReliable: false }
const TCP: StepContext = { timing: DEFAULT_TIMING, isReliable: true }

/** One line of a course: what happens, the state after it, the effects in order. */
type Line = readonly [event: string, state: string, effects: string]

const describeEffect = (effect: Effect): string => {
  switch (effect.type) {
    case 'arm':
      return `${effect.timer}=${String(effect.ms)}`
    case 'disarm':
      return `-${effect.timer}`
    case 'fail':
      return `fail-${effect.kind}`
    default:
      return effect.type
  }
}

/** `180` is a response, `A` a timer, `respond 200` the user's response; others are events' names. */
function clientEvent(text: string): ClientEvent {
  if (/^\d+$/.test(text)) return { type: 'response', status: Number(text) }
  if (text === 'started' || text === 'cancel-requested' || text === 'transport-failed')
    return { type: text }
  return { type: 'timer', timer: text as TimerName } // the tables below are the only callers
}

function serverEvent(text: string): ServerEvent {
  if (text.startsWith('respond ')) return { type: 'respond', status: Number(text.slice(8)) }
  if (text === 'started' || text === 'request' || text === 'ack' || text === 'ack-received')
    return { type: text }
  return { type: 'timer', timer: text as TimerName } // the tables below are the only callers
}

function follow<State extends { state: string }, Event>(
  start: State,
  step: (state: State, event: Event) => Step<State>,
  read: (text: string) => Event,
  course: readonly Line[],
): void {
  let state = start
  const seen = course.map(([event]): Line => {
    const next = step(state, read(event))
    state = next.state
    return [event, state.state, next.effects.map(describeEffect).join(' ')]
  })
  expect(seen).toEqual(course)
}

describe('INVITE client transaction', () => {
  it.each<[string, StepContext, Line[]]>([
    [
      'retransmits with doubling intervals until timer B (§17.1.1.2)',
      UDP,
      [
        ['started', 'calling', 'send A=500 B=32000'],
        ['A', 'calling', 'send A=1000'],
        ['A', 'calling', 'send A=2000'],
        ['A', 'calling', 'send A=4000'],
        ['A', 'calling', 'send A=8000'],
        ['A', 'calling', 'send A=16000'],
        ['A', 'calling', 'send A=32000'],
        ['B', 'terminated', 'fail-timeout'],
        ['A', 'terminated', ''],
        ['200', 'terminated', ''],
      ],
    ],
    [
      'does not retransmit over TCP',
      TCP,
      [
        ['started', 'calling', 'send B=32000'],
        ['B', 'terminated', 'fail-timeout'],
      ],
    ],
    [
      'rings and is answered; each 2xx goes up until timer M (RFC 6026 §7.2)',
      UDP,
      [
        ['started', 'calling', 'send A=500 B=32000'],
        ['100', 'proceeding', '-A -B ringing=900000 deliver'],
        ['A', 'proceeding', ''],
        ['180', 'proceeding', 'ringing=900000 deliver'],
        ['100', 'proceeding', 'deliver'],
        ['200', 'accepted', '-ringing -cancel M=32000 deliver'],
        ['200', 'accepted', 'deliver'],
        ['180', 'accepted', ''],
        ['486', 'accepted', ''],
        ['M', 'terminated', ''],
      ],
    ],
    [
      'is answered at once',
      UDP,
      [
        ['started', 'calling', 'send A=500 B=32000'],
        ['200', 'accepted', '-A -B M=32000 deliver'],
        ['transport-failed', 'accepted', ''],
      ],
    ],
    [
      'acknowledges each copy of a refusal, and delivers the first (§17.1.1.2)',
      UDP,
      [
        ['started', 'calling', 'send A=500 B=32000'],
        ['180', 'proceeding', '-A -B ringing=900000 deliver'],
        ['486', 'completed', '-ringing -cancel D=32000 send-ack deliver'],
        ['486', 'completed', 'send-ack'],
        ['200', 'completed', ''],
        ['D', 'terminated', ''],
        ['486', 'terminated', ''],
      ],
    ],
    [
      'ends with its refusal over TCP, where nothing is repeated',
      TCP,
      [
        ['started', 'calling', 'send B=32000'],
        ['503', 'terminated', 'send-ack deliver'],
      ],
    ],
    [
      'holds a CANCEL back until a provisional response (§9.1)',
      UDP,
      [
        ['started', 'calling', 'send A=500 B=32000'],
        ['cancel-requested', 'calling', ''],
        ['A', 'calling', 'send A=1000'],
        ['100', 'proceeding', '-A -B send-cancel cancel=32000 deliver'],
        ['cancel-requested', 'proceeding', ''],
        ['180', 'proceeding', 'deliver'],
        ['487', 'completed', '-ringing -cancel D=32000 send-ack deliver'],
      ],
    ],
    [
      'cancels while ringing, and a 200 may cross it',
      UDP,
      [
        ['180', 'proceeding', '-A -B ringing=900000 deliver'],
        ['cancel-requested', 'proceeding', '-ringing send-cancel cancel=32000'],
        ['200', 'accepted', '-ringing -cancel M=32000 deliver'],
        ['cancel-requested', 'accepted', ''],
      ],
    ],
    [
      'is over 64×T1 after a CANCEL that nobody minds (§9.1)',
      UDP,
      [
        ['180', 'proceeding', '-A -B ringing=900000 deliver'],
        ['cancel-requested', 'proceeding', '-ringing send-cancel cancel=32000'],
        ['cancel', 'terminated', 'fail-timeout'],
      ],
    ],
    [
      'does not ring for ever',
      UDP,
      [
        ['180', 'proceeding', '-A -B ringing=900000 deliver'],
        ['ringing', 'terminated', 'fail-timeout'],
      ],
    ],
    [
      'ends when the request cannot be sent (§17.1.4)',
      TCP,
      [
        ['started', 'calling', 'send B=32000'],
        ['transport-failed', 'terminated', 'fail-transport'],
        ['transport-failed', 'terminated', ''],
      ],
    ],
    [
      'ends without a second word when its ACK cannot be sent',
      UDP,
      [
        ['404', 'completed', '-A -B D=32000 send-ack deliver'],
        ['transport-failed', 'terminated', ''],
      ],
    ],
  ])('%s', (_title, context, course) => {
    const step = (state: ReturnType<typeof startInviteClient>, event: ClientEvent) =>
      stepInviteClient(state, event, context)
    follow(startInviteClient(context), step, clientEvent, course)
  })
})

describe('non-INVITE client transaction', () => {
  it.each<[string, StepContext, Line[]]>([
    [
      'retransmits up to T2 until timer F (§17.1.2.2)',
      UDP,
      [
        ['started', 'trying', 'send E=500 F=32000'],
        ['E', 'trying', 'send E=1000'],
        ['E', 'trying', 'send E=2000'],
        ['E', 'trying', 'send E=4000'],
        ['E', 'trying', 'send E=4000'],
        ['F', 'terminated', 'fail-timeout'],
        ['E', 'terminated', ''],
      ],
    ],
    [
      'retransmits each T2 once it has a provisional response',
      UDP,
      [
        ['started', 'trying', 'send E=500 F=32000'],
        ['100', 'proceeding', 'deliver'],
        ['E', 'proceeding', 'send E=4000'],
        ['200', 'completed', '-E -F K=5000 deliver'],
        ['200', 'completed', ''],
        ['E', 'completed', ''],
        ['K', 'terminated', ''],
      ],
    ],
    [
      'times out in proceeding too',
      UDP,
      [
        ['100', 'proceeding', 'deliver'],
        ['F', 'terminated', 'fail-timeout'],
      ],
    ],
    [
      'ends with its answer over TCP',
      TCP,
      [
        ['started', 'trying', 'send F=32000'],
        ['481', 'terminated', 'deliver'],
        ['481', 'terminated', ''],
      ],
    ],
    [
      'cannot be cancelled, and ends when it cannot be sent',
      TCP,
      [
        ['cancel-requested', 'trying', ''],
        ['transport-failed', 'terminated', 'fail-transport'],
      ],
    ],
  ])('%s', (_title, context, course) => {
    const step = (state: ReturnType<typeof startNonInviteClient>, event: ClientEvent) =>
      stepNonInviteClient(state, event, context)
    follow(startNonInviteClient(context), step, clientEvent, course)
  })
})

describe('INVITE server transaction', () => {
  const KNOWN: InviteContext = { ...UDP, isProven: true }
  const STRANGER: InviteContext = { ...UDP, isProven: false }
  const STREAM: InviteContext = { ...TCP, isProven: true }
  const patient = { ...KNOWN, timing: { ...DEFAULT_TIMING, trying: 200 } }
  it.each<[string, InviteContext, Line[]]>([
    [
      'sends 100 at once, and its last provisional response for each copy',
      KNOWN,
      [
        ['started', 'proceeding', 'send-trying ringing=900000'],
        ['request', 'proceeding', 'send'],
        ['respond 180', 'proceeding', '-trying ringing=900000 send'],
        ['request', 'proceeding', 'send'],
      ],
    ],
    [
      'sends 100 after 200 ms when nothing else was sent',
      patient,
      [
        ['started', 'proceeding', 'trying=200 ringing=900000'],
        ['request', 'proceeding', ''],
        ['trying', 'proceeding', 'send-trying'],
        ['request', 'proceeding', 'send'],
        ['trying', 'proceeding', ''],
      ],
    ],
    [
      'refuses a stranger once, and again for each copy (§26.3.2.4)',
      STRANGER,
      [
        ['started', 'proceeding', 'trying=200 ringing=900000'],
        ['request', 'proceeding', ''],
        ['respond 404', 'completed', '-trying -ringing send H=32000'],
        ['request', 'completed', 'send'],
        ['H', 'terminated', 'fail-timeout'],
      ],
    ],
    [
      'repeats the refusal of a stranger who heard 100, and so sends no copies',
      STRANGER,
      [
        ['started', 'proceeding', 'trying=200 ringing=900000'],
        ['trying', 'proceeding', 'send-trying'],
        ['respond 404', 'completed', '-trying -ringing send G=500 H=32000'],
        ['G', 'completed', 'send G=1000'],
        ['ack', 'confirmed', '-G -H I=5000'],
      ],
    ],
    [
      'sends no 100 after a response',
      patient,
      [
        ['started', 'proceeding', 'trying=200 ringing=900000'],
        ['respond 180', 'proceeding', '-trying ringing=900000 send'],
        ['trying', 'proceeding', ''],
      ],
    ],
    [
      'repeats a lost 200 from T1 to T2 until its ACK (§13.3.1.4)',
      KNOWN,
      [
        ['respond 200', 'accepted', '-trying -ringing send G=500 L=32000'],
        ['request', 'accepted', ''],
        ['G', 'accepted', 'send G=1000'],
        ['G', 'accepted', 'send G=2000'],
        ['G', 'accepted', 'send G=4000'],
        ['G', 'accepted', 'send G=4000'],
        ['respond 486', 'accepted', ''],
        ['ack-received', 'accepted', '-G'],
        ['ack-received', 'accepted', ''],
        ['G', 'accepted', ''],
        ['L', 'terminated', ''],
      ],
    ],
    [
      'repeats a 200 over TCP too, and gives up without an ACK',
      STREAM,
      [
        ['respond 200', 'accepted', '-trying -ringing send G=500 L=32000'],
        ['ack', 'accepted', ''],
        ['G', 'accepted', 'send G=1000'],
        ['L', 'terminated', 'fail-timeout'],
        ['ack-received', 'terminated', ''],
      ],
    ],
    [
      'repeats a refusal until its ACK, and absorbs copies of that (§17.2.1)',
      KNOWN,
      [
        ['respond 486', 'completed', '-trying -ringing send G=500 H=32000'],
        ['request', 'completed', 'send'],
        ['G', 'completed', 'send G=1000'],
        ['ack', 'confirmed', '-G -H I=5000'],
        ['request', 'confirmed', ''],
        ['ack', 'confirmed', ''],
        ['I', 'terminated', ''],
      ],
    ],
    [
      'gives up on the ACK of a refusal at timer H',
      KNOWN,
      [
        ['respond 500', 'completed', '-trying -ringing send G=500 H=32000'],
        ['G', 'completed', 'send G=1000'],
        ['G', 'completed', 'send G=2000'],
        ['G', 'completed', 'send G=4000'],
        ['G', 'completed', 'send G=4000'],
        ['H', 'terminated', 'fail-timeout'],
        ['ack', 'terminated', ''],
      ],
    ],
    [
      'sends a refusal once over TCP and ends with the ACK',
      STREAM,
      [
        ['respond 603', 'completed', '-trying -ringing send H=32000'],
        ['ack', 'terminated', ''],
      ],
    ],
    [
      'does not wait for ever for its user',
      KNOWN,
      [
        ['started', 'proceeding', 'send-trying ringing=900000'],
        ['ringing', 'terminated', 'fail-timeout'],
        ['respond 200', 'terminated', ''],
      ],
    ],
  ])('%s', (_title, context, course) => {
    const step = (state: ReturnType<typeof startInviteServer>, event: ServerEvent) =>
      stepInviteServer(state, event, context)
    follow(startInviteServer(), step, serverEvent, course)
  })
})

describe('non-INVITE server transaction', () => {
  it.each<[string, StepContext, Line[]]>([
    [
      'answers copies with its last response until timer J (§17.2.2)',
      UDP,
      [
        ['started', 'trying', 'F=32000'],
        ['request', 'trying', ''],
        ['respond 100', 'proceeding', 'send'],
        ['request', 'proceeding', 'send'],
        ['respond 200', 'completed', '-F send J=32000'],
        ['request', 'completed', 'send'],
        ['respond 500', 'completed', ''],
        ['ack', 'completed', ''],
        ['J', 'terminated', ''],
        ['request', 'terminated', ''],
      ],
    ],
    [
      'ends with its answer over TCP',
      TCP,
      [
        ['started', 'trying', 'F=32000'],
        ['respond 405', 'terminated', 'send'],
      ],
    ],
    [
      'ends unanswered when its client must have given up (RFC 4320 §4.2)',
      UDP,
      [
        ['started', 'trying', 'F=32000'],
        ['F', 'terminated', 'fail-timeout'],
      ],
    ],
  ])('%s', (_title, context, course) => {
    const step = (state: ReturnType<typeof startNonInviteServer>, event: ServerEvent) =>
      stepNonInviteServer(state, event, context)
    follow(startNonInviteServer(), step, serverEvent, course)
  })
})
