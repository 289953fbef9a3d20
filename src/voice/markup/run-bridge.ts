/**
 * Connects a caller with one party without markup, like Dial: early media, answer, digits and hangup of one
 * side reach the other. If the party is not reached, the caller gets a final response with the reason.
 */
import { type Sleep, sleep } from '../../platform/async/sleep.js'
import { InvariantError } from '../../platform/errors.js'
import type { BridgeParty } from '../model/call-plan.js'
import { type ChildCallEnd, DialRefusedError } from './child-call.js'
import type { MarkupEnd } from './document.js'
import type { MarkupHost } from './host.js'
import type { DialVerb } from './parse/dial.js'
import { PLAIN_PARTY } from './parse/dial-noun.js'
import type { XmlElement } from './parse/xml.js'
import { callParties } from './verbs/dial/call-parties.js'
import type { VerbContext } from './verbs/verb-run.js'

type Refusal = Pick<Extract<MarkupEnd, { readonly type: 'refused' }>, 'status' | 'reason'>

/** Ring time, ms; the caller's network ends a longer ringing call. */
const RING_MS = 180_000
/** Maximum duration of a call, ms. */
const TALK_MS = 4 * 3_600_000
const NO_RECORDING = { answered: () => Promise.resolve() }
const NO_ELEMENT: XmlElement = {
  type: 'element',
  name: 'Dial',
  attributes: new Map(),
  children: [],
}

const UNAVAILABLE: Refusal = { status: 480, reason: 'Temporarily Unavailable' }
const NOT_FOUND: Refusal = { status: 404, reason: 'Not Found' }
const FORBIDDEN: Refusal = { status: 403, reason: 'Forbidden' }
const BUSY: Refusal = { status: 486, reason: 'Busy Here' }

/** The responses to the account's own equipment when the party's call was refused before it started. */
const REFUSALS: Readonly<Record<DialRefusedError['number'], Refusal>> = {
  10004: { status: 503, reason: 'Service Unavailable' },
  13224: NOT_FOUND,
  13225: FORBIDDEN,
  13226: NOT_FOUND,
  13227: FORBIDDEN,
  13247: FORBIDDEN,
  20402: { status: 402, reason: 'Payment Required' },
  21205: UNAVAILABLE,
  21420: UNAVAILABLE,
}

/** The party's responses that are passed on to the caller; any other one is mapped to one of these. */
const PASSED_ON: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'Not Found',
  410: 'Gone',
  480: 'Temporarily Unavailable',
  484: 'Address Incomplete',
  486: 'Busy Here',
  488: 'Not Acceptable Here',
  600: 'Busy Everywhere',
  603: 'Decline',
  604: 'Does Not Exist Anywhere',
}

/** Resolves with the end of the call. Rejects with the signal's reason when aborted. */
export async function runBridge(
  party: BridgeParty,
  host: MarkupHost,
  signal: AbortSignal,
  timers: { readonly sleep: Sleep } = { sleep },
): Promise<MarkupEnd> {
  let refused: DialRefusedError | undefined
  const placeCall: MarkupHost['placeCall'] = async (wanted, events) => {
    try {
      return await host.placeCall(wanted, events)
    } catch (error) {
      if (error instanceof DialRefusedError) refused = error
      throw error
    }
  }
  const context: VerbContext = {
    host: { ...host, placeCall },
    signal,
    documentUrl: undefined,
    sleep: timers.sleep,
    runInside: () => Promise.reject(new InvariantError('a call without markup runs none')),
    onProgress: () => undefined,
  }
  const result = await callParties(verbOf(party), context, NO_RECORDING)
  if (result?.parting !== undefined) return { type: 'hangup' }
  return { type: 'refused', ...refusalOf(party, result?.end, refused) }
}

function verbOf({ to }: BridgeParty): DialVerb {
  return {
    type: 'dial',
    element: NO_ELEMENT,
    action: undefined,
    method: 'POST',
    timeoutMs: RING_MS,
    timeLimitMs: TALK_MS,
    hangupOnStar: false,
    answerOnBridge: true,
    callerId: undefined,
    callReason: undefined,
    order: 'sequential',
    ringTone: undefined,
    recording: undefined,
    refer: undefined,
    nouns: [
      to.type === 'number'
        ? { type: 'number', element: NO_ELEMENT, number: to.e164, party: PLAIN_PARTY }
        : {
            type: 'sip',
            element: NO_ELEMENT,
            targets: withoutAuth(to.targets),
            headers: {},
            party: PLAIN_PARTY,
          },
    ],
  }
}

type SipTargets = Extract<BridgeParty['to'], { readonly type: 'sip' }>['targets']

function withoutAuth([first, ...others]: SipTargets) {
  const bare = (target: SipTargets[number]) => ({ ...target, auth: undefined })
  return [bare(first), ...others.map(bare)] as const
}

/** Returns the final response to the caller when the party was not reached. */
function refusalOf(
  { isOwn }: BridgeParty,
  end: ChildCallEnd | undefined,
  refused: DialRefusedError | undefined,
): Refusal {
  if (end === undefined)
    return isOwn && refused !== undefined ? REFUSALS[refused.number] : UNAVAILABLE
  const { sipStatus = 480, status } = end
  const reason = PASSED_ON[sipStatus]
  // After a 5xx the caller's carrier would retry over another route, which leads here again.
  if (reason !== undefined) return { status: sipStatus, reason }
  if (status === 'busy') return BUSY
  if (status === 'no-answer' || !isOwn) return UNAVAILABLE
  return { status: 503, reason: 'Service Unavailable' }
}
