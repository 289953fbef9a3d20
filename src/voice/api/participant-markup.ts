/** The document of a call that was made to come into a conference. Pure. */
import type { z } from '@hono/zod-openapi'
import type { createParticipantForm } from './conference-schemas.js'
import { ApiError } from './errors.js'

type Form = z.infer<typeof createParticipantForm>

/** As of any document that is not fetched. */
const MAX_LENGTH = 4_000

export function conferenceMarkup(name: string, form: Form): string {
  const attributes = Object.entries(attributesOf(form))
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escaped(String(value))}"`]))
    .join('')
  const noun = `<Conference${attributes}>${escaped(name)}</Conference>`
  const markup = `<Response><Dial>${noun}</Dial></Response>`
  if (markup.length <= MAX_LENGTH) return markup
  throw new ApiError(400, 20422, 'The URLs of a participant are too long, taken together')
}

function attributesOf(form: Form): Readonly<Record<string, string | number | boolean | undefined>> {
  return {
    muted: form.Muted,
    beep: form.Beep,
    startConferenceOnEnter: form.StartConferenceOnEnter,
    endConferenceOnExit: form.EndConferenceOnExit,
    participantLabel: form.Label,
    coach: form.Coaching === false ? undefined : form.CallSidToCoach,
    waitUrl: form.WaitUrl,
    waitMethod: form.WaitMethod,
    maxParticipants: form.MaxParticipants,
    record: form.ConferenceRecord,
    trim: form.ConferenceTrim,
    recordingStatusCallback: form.ConferenceRecordingStatusCallback,
    recordingStatusCallbackMethod: form.ConferenceRecordingStatusCallbackMethod,
    recordingStatusCallbackEvent: form.ConferenceRecordingStatusCallbackEvent?.join(' '),
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0) ?? 0};`)
}
