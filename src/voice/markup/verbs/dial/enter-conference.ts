/** Dial's noun Conference: keeps the caller in a room until the caller leaves or the room ends. */
import { linkAbort } from '../../../../platform/async/abort.js'
import type { RecordingWish } from '../../../model/recording-wish.js'
import {
  AnnouncementError,
  type ConferenceEntry,
  ConferenceRefusedError,
  LeaveConferenceError,
} from '../../conference-entry.js'
import type { ConferenceNoun } from '../../parse/conference.js'
import type { DialVerb } from '../../parse/dial.js'
import { resolveCallback, resolveWaitUrl } from '../resolve-url.js'
import { runWait, type WaitPlace } from '../run-wait.js'
import type { VerbContext } from '../verb-run.js'
import { isCallerGone } from '../verb-run.js'

const IN_ROOM: WaitPlace = {
  inside: { purpose: 'waiting', params: () => ({}) },
  onError: 'silence',
}

/**
 * Enters the conference. Resolves with the action's DialCallStatus, also when the caller hung up in the
 * conference.
 */
export async function enterConference(
  noun: ConferenceNoun,
  verb: DialVerb,
  context: VerbContext,
): Promise<'answered' | 'failed'> {
  const { host, signal } = context
  const entry = entryOf(noun, context)
  if (entry === undefined) return 'failed'
  await host.answer(signal)
  const left = host.letTalk([host.leg], verb.timeLimitMs)
  return await stayIn(entry, verb, context).finally(left)
}

/** Resolves when the caller has left, including at `*` (hangupOnStar) or the time limit. */
async function stayIn(
  entry: ConferenceEntry,
  verb: DialVerb,
  context: VerbContext,
): Promise<'answered' | 'failed'> {
  const { host, signal, sleep } = context
  const leaving = new AbortController()
  const leave = () => {
    leaving.abort(new LeaveConferenceError('the caller leaves the conference'))
  }
  using stay = linkAbort([signal, leaving.signal])
  const unsubscribe = host.leg.digits.subscribe(({ digit }) => {
    if (verb.hangupOnStar && digit === '*') leave()
  })
  const limit = sleep(verb.timeLimitMs, stay.signal).then(leave, () => undefined)
  try {
    await host.enterConference(entry, stay.signal)
    if (!isCallerGone(context)) signal.throwIfAborted()
    return 'answered'
  } catch (error) {
    if (error instanceof ConferenceRefusedError) {
      host.log({ type: 'error', code: error.number, message: error.message })
      return 'failed'
    }
    if (isCallerGone(context)) return 'answered'
    throw error
  } finally {
    unsubscribe()
    leave()
    await limit
  }
}

function entryOf(noun: ConferenceNoun, context: VerbContext): ConferenceEntry | undefined {
  const { name, waitUrl, statusCallback } = noun
  if (name === undefined) return undefined
  const { documentUrl } = context
  const url = resolveWaitUrl(waitUrl, { verb: 'Conference', code: 13233 }, context)
  return {
    name,
    isMuted: noun.muted,
    beep: noun.beep,
    startOnEnter: noun.startOnEnter,
    endOnExit: noun.endOnExit,
    label: noun.participantLabel,
    maxParticipants: noun.maxParticipants,
    coach: noun.coach,
    statusCallback: resolveCallback(statusCallback, documentUrl, 'Conference', context.host),
    recording: recordingOf(noun, context),
    waiting: { url, method: noun.waitMethod },
    wait: async (waiting, until) => {
      await runWait(waiting, IN_ROOM, context, until)
    },
    announce: async ({ url, method }, audience, until) => {
      const source = { type: 'url', request: { url, method, params: {} } } as const
      const end = await context.runInside(source, { ...IN_ROOM.inside, audience }, until)
      if (end.type === 'application-error') throw new AnnouncementError(end.message)
    },
  }
}

/** Returns the recording of the whole conference, in one channel. */
function recordingOf(
  { recordFromStart, trim, recordingStatusCallback }: ConferenceNoun,
  { documentUrl, host }: VerbContext,
): RecordingWish | undefined {
  if (!recordFromStart) return undefined
  return {
    source: 'Conference',
    channels: 'mono',
    track: 'both',
    trim,
    callback: resolveCallback(recordingStatusCallback, documentUrl, 'Conference', host),
  }
}
