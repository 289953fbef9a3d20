import { microseconds } from '../model/switch-facts.js'
import type { CallProfile } from './call-profile.js'
import { type Progress, stateNumber } from './progress.js'

/** The properties of a channel that its events report. */
export interface Described {
  readonly uuid: string
  readonly profile: CallProfile
  readonly progress: Progress
  readonly codec: string
  readonly partner: (Described & { readonly role: 'originator' | 'originatee' }) | undefined
}

type Header = readonly [name: string, value: string]

/** Yields the headers of every event of a channel, except variables: state, identity, codecs and caller. */
export function* channelHeaders(channel: Described): Generator<Header> {
  const { uuid, profile, progress, codec } = channel
  yield ['Channel-State', progress.state]
  yield ['Channel-Call-State', progress.callState]
  yield ['Channel-State-Number', stateNumber(progress)]
  yield ['Channel-Name', profile.channelName]
  yield ['Unique-ID', uuid]
  yield ['Call-Direction', 'inbound']
  yield ['Presence-Call-Direction', 'inbound']
  yield ['Channel-HIT-Dialplan', 'true']
  yield ['Channel-Call-UUID', uuid]
  yield ['Answer-State', progress.answerState]
  if (progress.cause !== undefined) yield ['Hangup-Cause', progress.cause]
  for (const way of ['Read', 'Write']) {
    yield [`Channel-${way}-Codec-Name`, codec]
    yield [`Channel-${way}-Codec-Rate`, '8000']
    yield [`Channel-${way}-Codec-Bit-Rate`, '64000']
  }
  yield* profileHeaders(channel, 'Caller')
  if (channel.partner !== undefined) {
    yield ['Other-Type', channel.partner.role]
    yield* profileHeaders(channel.partner, 'Other-Leg')
  }
}

/** Yields a channel's caller profile, each name with a prefix such as `Caller` or `Other-Leg`. */
export function* profileHeaders(channel: Described, prefix: string): Generator<Header> {
  const { uuid, profile, progress } = channel
  const times: Header[] = [
    ['Profile-Created-Time', microseconds(progress.createdAt)],
    ['Channel-Created-Time', microseconds(progress.createdAt)],
    ['Channel-Answered-Time', microseconds(progress.answeredAt)],
    ['Channel-Progress-Time', '0'],
    ['Channel-Progress-Media-Time', microseconds(progress.progressMediaAt)],
    ['Channel-Hangup-Time', microseconds(progress.hungUpAt)],
    ['Channel-Transfer-Time', '0'],
    ['Channel-Resurrect-Time', '0'],
    ['Channel-Bridged-Time', microseconds(progress.bridgedAt)],
    ['Channel-Last-Hold', '0'],
    ['Channel-Hold-Accum', '0'],
  ]
  const fields: Header[] = [
    ['Direction', 'inbound'],
    ['Logical-Direction', 'inbound'],
    ['Dialplan', 'XML'],
    ['Caller-ID-Name', profile.callerName],
    ...(profile.callerNumber === undefined
      ? []
      : ([['Caller-ID-Number', profile.callerNumber]] satisfies Header[])),
    ['Orig-Caller-ID-Name', profile.callerName],
    ['Network-Addr', profile.networkAddress],
    ['Destination-Number', profile.destination],
    ['Unique-ID', uuid],
    ['Source', 'mod_sofia'],
    ['Context', 'mrf'],
    ['Channel-Name', profile.channelName],
    ['Profile-Index', '1'],
    ...times,
    ['Screen-Bit', 'true'],
    ['Privacy-Hide-Name', 'false'],
    ['Privacy-Hide-Number', 'false'],
  ]
  for (const [name, value] of fields) yield [`${prefix}-${name}`, value]
}
