/** Calls a Dial's parties, all at once or one after another, until one is connected. */
import type { ChildCallEnd, ChildCallRequest } from '../child-call.js'
import type { MarkupHost } from '../host.js'
import type { DialNoun, DialVerb } from '../parse/dial.js'
import { connectLegs } from './run-dial-connect.js'
import {
  type CalledNoun,
  type Party,
  partyRequest,
  placeParty,
  type ReadyParty,
} from './run-dial-party.js'
import type { DialRecorder } from './run-dial-record.js'
import type { Parting } from './run-dial-referrals.js'
import { type Ringing, startRinging } from './run-dial-ringing.js'
import type { VerbContext } from './verb-run.js'

/** Of the party that was connected, else of the one whose call ended last. */
export interface DialResult {
  readonly connection: 'bridged' | 'none'
  readonly noun: CalledNoun['type']
  readonly parting: Parting
  readonly sid: string
  readonly end: ChildCallEnd
}

interface Wanted {
  readonly noun: CalledNoun
  readonly request: ChildCallRequest
}

/** Connects the caller with a party that is ready; resolves when they have parted. */
type Connect = (party: ReadyParty) => Promise<Parting>

/** Undefined: nobody could be called. Rejects with the signal's reason, the caller's leg free by then. */
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
    return connectLegs(party, verb, context, recorder)
  }
  let last: DialResult | undefined
  try {
    for (const group of groups) {
      ringing.ring()
      last = (await callGroup(group, { connect, ringing }, context)) ?? last
      if (last?.connection === 'bridged') break
    }
    return last
  } finally {
    await ringing.stop()
  }
}

function isCalled(noun: DialNoun, host: MarkupHost): noun is CalledNoun {
  if (noun.type === 'number' || noun.type === 'sip') return true
  host.log({ type: 'warning', code: 12200, message: `<${noun.element.name}> is not supported` })
  return false
}

/** All of them at once: the first that is ready is connected, and the others are hung up. */
async function callGroup(
  wanted: readonly Wanted[],
  { connect, ringing }: { readonly connect: Connect; readonly ringing: Ringing },
  { host, signal }: VerbContext,
): Promise<DialResult | undefined> {
  // Of several parties nobody can say whose network the caller should hear.
  const hearEarly: Ringing['hear'] = (early) =>
    wanted.length === 1 ? ringing.hear(early) : Promise.resolve()
  const group: Group = {
    parties: wanted.map(({ noun, request }) => placeParty(noun, request, host, hearEarly)),
    connect,
    winner: undefined,
    connection: undefined,
    parting: { type: 'parted' },
    last: undefined,
  }
  try {
    await untilAborted(
      Promise.all(group.parties.map((party) => follow(party, group, signal))),
      signal,
    )
    return group.last
  } finally {
    for (const party of group.parties) party.hangup()
    await Promise.allSettled([group.connection, ...group.parties.map(({ placed }) => placed)])
  }
}

interface Group {
  readonly parties: readonly Party[]
  readonly connect: Connect
  winner: Party | undefined
  connection: Promise<Parting> | undefined
  parting: Parting
  last: DialResult | undefined
}

async function follow(party: Party, group: Group, signal: AbortSignal): Promise<void> {
  const ready = await party.ready
  if (ready !== undefined) {
    try {
      if (group.winner === undefined && !signal.aborted) {
        group.winner = party
        for (const other of group.parties) if (other !== party) other.hangup()
        group.connection = group.connect(ready)
        group.parting = await group.connection
      }
    } finally {
      ready.done()
    }
  }
  await party.placed
  const [sid, end] = [party.sid(), await party.over]
  if (sid === undefined || end === undefined) return
  const isConnected = group.winner === party
  if (group.winner !== undefined && !isConnected) return
  const connection = isConnected ? 'bridged' : 'none'
  group.last = { connection, parting: group.parting, noun: party.noun.type, sid, end }
}

async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let stop = (): void => undefined
  const aborted = new Promise<void>((resolve) => {
    stop = resolve
    signal.addEventListener('abort', stop)
  })
  // Its failure after an abort is the abort's.
  work.catch(() => undefined)
  try {
    await Promise.race([work, aborted])
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
