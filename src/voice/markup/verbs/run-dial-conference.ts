/** Dial's noun Conference: brings the caller into a room, until one of the two has enough. */
import {
  AnnouncementError,
  type ConferenceEntry,
  ConferenceRefusedError,
} from '../conference-entry.js'
import type { ConferenceNoun } from '../parse/conference.js'
import type { DialVerb } from '../parse/dial.js'
import { linkAbort } from './link-abort.js'
import { resolveCallback } from './resolve-callback.js'
import { resolveUrl } from './resolve-url.js'
import { runWait, type WaitPlace } from './run-wait.js'
import type { VerbContext } from './verb-run.js'

const IN_ROOM: WaitPlace = {
  inside: { purpose: 'waiting', params: () => ({}) },
  onError: 'silence',
}

class EnoughError extends Error {
  override readonly name = 'EnoughError'
}

/** What the action learns as DialCallStatus. */
export async function enterConference(
  noun: ConferenceNoun,
  verb: DialVerb,
  context: VerbContext,
): Promise<'answered' | 'failed'> {
  const { host, signal, sleep } = context
  const entry = entryOf(noun, context)
  if (entry === undefined) return 'failed'
  await host.answer(signal)
  using stay = linkAbort(signal)
  const leave = () => {
    stay.abort(new EnoughError('the caller leaves the conference'))
  }
  const unsubscribe = host.onDigit(({ digit }) => {
    if (verb.hangupOnStar && digit === '*') leave()
  })
  const limit = sleep(verb.timeLimitMs, stay.signal).then(leave, () => undefined)
  try {
    await host.enterConference(entry, stay.signal)
    signal.throwIfAborted()
    return 'answered'
  } catch (error) {
    if (!(error instanceof ConferenceRefusedError)) throw error
    host.log({ type: 'error', code: error.number, message: error.message })
    return 'failed'
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
  const absolute =
    waitUrl === undefined || waitUrl === '' ? waitUrl : resolveUrl(waitUrl, documentUrl)
  return {
    name,
    isMuted: noun.muted,
    beep: noun.beep,
    startOnEnter: noun.startOnEnter,
    endOnExit: noun.endOnExit,
    label: noun.participantLabel,
    maxParticipants: noun.maxParticipants,
    coach: noun.coach,
    statusCallback: statusCallback && {
      ...statusCallback,
      url: resolveUrl(statusCallback.url, documentUrl),
    },
    recording: noun.recordFromStart
      ? {
          trim: noun.trim,
          callback: resolveCallback(
            noun.recordingStatusCallback,
            documentUrl,
            'Conference',
            context.host,
          ),
        }
      : undefined,
    waiting: { url: absolute, method: noun.waitMethod },
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
