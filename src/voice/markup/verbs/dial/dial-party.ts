/** A party of a Dial, from its noun to the end of its call. */
import { deferred } from '../../../../platform/async/deferred.js'
import type { Leg } from '../../../telephony/port.js'
import {
  type ChildCall,
  type ChildCallEnd,
  type ChildCallRequest,
  DialRefusedError,
} from '../../child-call.js'
import type { DocumentRequest } from '../../document.js'
import type { MarkupHost } from '../../host.js'
import type { DialVerb } from '../../parse/dial.js'
import type { DialMachineDetection } from '../../parse/dial-noun.js'
import type { NumberNoun } from '../../parse/dial-number.js'
import type { SipNoun } from '../../parse/dial-sip.js'
import { resolveCallback, resolveUrl } from '../resolve-url.js'
import type { VerbContext } from '../verb-run.js'
import type { EarlyAudio } from './ringing.js'

export type CalledNoun = NumberNoun | SipNoun

export interface Party {
  readonly noun: CalledNoun
  /** Returns the sid of the party's call; undefined before it is placed, and when it was refused. */
  readonly sid: () => string | undefined
  /** Resolves when the call is stored or refused. */
  readonly placed: Promise<void>
  /** Resolves when the party can be connected; with undefined when its call ended before. */
  readonly ready: Promise<ReadyParty | undefined>
  /** Resolves when the call has ended; with undefined when it was refused. */
  readonly over: Promise<ChildCallEnd | undefined>
  hangup(): void
}

/** An answered party that can be connected until the signal aborts. `done` hangs it up. */
export interface ReadyParty {
  readonly leg: Leg
  readonly signal: AbortSignal
  /** Lets the party continue without the Dial; see `ChildCall.takeAway`. */
  readonly takeAway: (request: DocumentRequest) => void
  /** Lets the party outlive the Dial, until `done`; see `ChildCall.release`. */
  readonly release: () => void
  readonly done: () => void
}

/** Returns the request for a party's call. Throws DocumentError when the screening's URL is invalid. */
export function partyRequest(
  noun: CalledNoun,
  verb: DialVerb,
  { host, documentUrl }: VerbContext,
): ChildCallRequest {
  const { screening, sendDigits, statusCallback, machineDetection } = noun.party
  return {
    to: noun.type === 'number' ? { type: 'number', number: noun.number } : sipOf(noun),
    callerId: verb.callerId,
    callReason: verb.callReason,
    timeoutSeconds: verb.timeoutMs / 1_000,
    sendDigits,
    screening: screening && { ...screening, url: resolveUrl(screening.url, documentUrl) },
    statusCallback: resolveCallback(statusCallback, documentUrl, 'Dial', host),
    machineDetection: machineDetection && resolveDetection(machineDetection, documentUrl, host),
  }
}

/** Places the party's call at once. Only `placed` can reject. */
export function placeParty(
  noun: CalledNoun,
  request: ChildCallRequest,
  host: MarkupHost,
  hearEarly: (early: EarlyAudio) => Promise<void>,
): Party {
  let child: ChildCall | undefined
  let isUnwanted = false
  const ready = deferred<ReadyParty | undefined>()
  const over = deferred<ChildCallEnd | undefined>()
  const finish = (end: ChildCallEnd | undefined) => {
    ready.resolve(undefined)
    over.resolve(end)
  }
  const placed = host
    .placeCall(request, {
      onEarlyAudio: (leg, signal) => hearEarly({ leg, signal, then: soundAfter(request) }),
      onReady: (leg, signal) =>
        new Promise((done) => {
          const takeAway = (request: DocumentRequest) => child?.takeAway(request)
          ready.resolve({ leg, signal, takeAway, release: () => child?.release(), done })
        }),
      onOver: finish,
    })
    .then(
      (placedChild) => {
        child = placedChild
        if (isUnwanted) child.hangup()
      },
      (error: unknown) => {
        finish(undefined)
        if (!(error instanceof DialRefusedError)) throw error
        host.log({ type: 'error', code: error.number, message: `Dial: ${error.message}` })
      },
    )
  return {
    noun,
    sid: () => child?.sid,
    placed,
    ready: ready.done,
    over: over.done,
    hangup: () => {
      isUnwanted = true
      child?.hangup()
    },
  }
}

/** Returns the audio after the early media: ringing while an answered party is screened or is sent digits. */
function soundAfter({ screening, sendDigits }: ChildCallRequest): EarlyAudio['then'] {
  return screening === undefined && sendDigits === undefined ? 'silence' : 'ringing'
}

function sipOf({ targets, headers }: SipNoun): ChildCallRequest['to'] {
  return { type: 'sip', targets, headers }
}

function resolveDetection(
  { callback, ...detection }: DialMachineDetection,
  documentUrl: string | undefined,
  host: MarkupHost,
): DialMachineDetection {
  const resolved = resolveCallback(callback, documentUrl, 'Dial', host)
  return resolved === undefined ? detection : { ...detection, callback: resolved }
}
