/** Calls a Dial's parties, simultaneously or one after another, until one is connected. */
import { withAbort } from '../../../../platform/async/abort.js'
import type { ChildCallEnd, ChildCallRequest } from '../../child-call.js'
import type { MarkupHost } from '../../host.js'
import type { DialNoun, DialVerb } from '../../parse/dial.js'
import type { VerbContext } from '../verb-run.js'
import { isCallerGone } from '../verb-run.js'
import { connectLegs, type Parting } from './connect-legs.js'
import {
  type CalledNoun,
  type Party,
  partyRequest,
  placeParty,
  type ReadyParty,
} from './dial-party.js'
import type { DialRecorder } from './dial-recorder.js'
import { type Ringing, startRinging } from './ringing.js'

/** The party that was connected, else the one whose call ended last. */
export interface DialResult {
  readonly noun: CalledNoun['type']
  /** How the connection of caller and party ended; undefined when they were not connected. */
  readonly parting: Parting | undefined
  readonly sid: string
  readonly end: ChildCallEnd
}

interface Wanted {
  readonly noun: CalledNoun
  readonly request: ChildCallRequest
}

/** Connects the caller with a party that is ready; resolves when the connection has ended. */
type Connect = (party: ReadyParty) => Promise<Parting>

/**
 * Calls the parties. Resolves with undefined when nobody could be called. Resolves also when the caller has
 * hung up, once every party is hung up. Rejects with the signal's reason when another document replaced this
 * one; the caller's leg is free then.
 */
export async function callParties(
  verb: DialVerb,
  context: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<DialResult | undefined> {
  const { host } = context
  const wanted = verb.nouns
    .filter((noun) => isCalled(noun, host))
    .map((noun) => ({ noun, request: partyRequest(noun, verb, context) }))
  const groups = verb.order === 'sequential' ? wanted.map((one) => [one]) : [wanted]
  const ringing = startRinging(verb, context)
  const connect: Connect = async (party) => {
    await ringing.stop()
    const { leg, signal } = party
    return connectLegs({ leg, signal, referable: party }, verb, context, recorder)
  }
  let last: DialResult | undefined
  try {
    for (const group of groups) {
      ringing.ring()
      last = (await callGroup(group, connect, ringing, context)) ?? last
      if (last?.parting !== undefined || isCallerGone(context)) break
    }
    return last
  } finally {
    await ringing.stop()
  }
}

function isCalled(noun: DialNoun, host: MarkupHost): noun is CalledNoun {
  if (noun.type === 'number' || noun.type === 'sip') return true
  const message = `<${noun.element.name}> is not supported in <Dial>`
  host.log({ type: 'error', code: 13750, message })
  return false
}

/** Calls all parties simultaneously. Connects the first one that is ready, and hangs up the others. */
async function callGroup(
  wanted: readonly Wanted[],
  connect: Connect,
  ringing: Ringing,
  context: VerbContext,
): Promise<DialResult | undefined> {
  // Early media is not played with several parties: only one could be audible.
  const hearEarly: Ringing['hear'] = (early) =>
    wanted.length === 1 ? ringing.hear(early) : Promise.resolve()
  const group: Group = {
    parties: wanted.map(({ noun, request }) => placeParty(noun, request, context.host, hearEarly)),
    connect,
    winner: undefined,
    connection: undefined,
    last: undefined,
  }
  const followed = group.parties.map((party) => follow(party, group, context))
  try {
    await withAbort(Promise.all(followed), context.signal)
  } catch (error) {
    if (!isCallerGone(context)) throw error
  } finally {
    for (const party of group.parties) party.hangup()
    await Promise.allSettled([group.connection, ...group.parties.map(({ placed }) => placed)])
  }
  // The results of the parties are known once their calls have ended.
  await Promise.allSettled(followed)
  return group.last
}

interface Group {
  readonly parties: readonly Party[]
  readonly connect: Connect
  winner: Party | undefined
  connection: Promise<Parting> | undefined
  last: DialResult | undefined
}

async function follow(party: Party, group: Group, context: VerbContext): Promise<void> {
  const ready = await party.ready
  const parting = ready === undefined ? undefined : await connectFirst(party, ready, group, context)
  await party.placed
  const [sid, end] = [party.sid(), await party.over]
  if (sid === undefined || end === undefined) return
  if (group.winner !== undefined && group.winner !== party) return
  group.last = { parting, noun: party.noun.type, sid, end }
}

/** Connects the first ready party. Resolves with undefined when another was first or the caller hung up. */
async function connectFirst(
  party: Party,
  ready: ReadyParty,
  group: Group,
  context: VerbContext,
): Promise<Parting | undefined> {
  let lasts: Promise<void> | undefined
  try {
    if (group.winner !== undefined || context.signal.aborted) return undefined
    group.winner = party
    for (const other of group.parties) if (other !== party) other.hangup()
    group.connection = group.connect(ready)
    const parting = await group.connection
    lasts = parting.type === 'transferred-by-caller' ? parting.over : undefined
    return parting
  } catch (error) {
    if (!isCallerGone(context)) throw error
    return undefined
  } finally {
    if (lasts === undefined) ready.done()
    else void lasts.then(ready.done)
  }
}
