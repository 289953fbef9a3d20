/** The settings of a participant that the API can change while it is in a room. Pure. */
import type { ConferenceEntry, Waiting } from '../markup/conference-entry.js'
import type { ParticipantEvent } from './conference-callbacks.js'

export interface ParticipantSettings {
  readonly isMuted: boolean
  /** The audio during the hold; undefined while the participant is in the conversation. */
  readonly hold: Waiting | undefined
  /** The audio before the conference starts. */
  readonly waiting: Waiting
  readonly beepsOnExit: boolean
  readonly endOnExit: boolean
  /** The sid of the one call that hears the participant; undefined when all do. */
  readonly coach: string | undefined
}

/** A change of settings; an absent property keeps its value. */
export interface ParticipantChange {
  readonly isMuted?: boolean
  /** The audio of a new hold; `none` ends the hold. */
  readonly hold?: Waiting | 'none'
  readonly waiting?: Waiting
  readonly beepsOnExit?: boolean
  readonly endOnExit?: boolean
  readonly coach?: { readonly callSid: string | undefined }
}

type SettingsEvent = Exclude<ParticipantEvent, 'join' | 'speech-start' | 'speech-stop'>

export function initialSettings(entry: ConferenceEntry): ParticipantSettings {
  return {
    isMuted: entry.isMuted,
    hold: undefined,
    waiting: entry.waiting,
    beepsOnExit: entry.beep === 'true' || entry.beep === 'onExit',
    endOnExit: entry.endOnExit,
    coach: entry.coach,
  }
}

export function changedSettings(
  settings: ParticipantSettings,
  { isMuted, hold, waiting, beepsOnExit, endOnExit, coach }: ParticipantChange,
): ParticipantSettings {
  return {
    isMuted: isMuted ?? settings.isMuted,
    hold: hold === undefined ? settings.hold : hold === 'none' ? undefined : hold,
    waiting: waiting ?? settings.waiting,
    beepsOnExit: beepsOnExit ?? settings.beepsOnExit,
    endOnExit: endOnExit ?? settings.endOnExit,
    coach: coach === undefined ? settings.coach : coach.callSid,
  }
}

/** Returns the events that report the difference; none when there is no difference. */
export function eventsBetween(
  before: ParticipantSettings,
  after: ParticipantSettings,
): readonly SettingsEvent[] {
  const events: SettingsEvent[] = []
  if (before.isMuted !== after.isMuted) events.push(after.isMuted ? 'mute' : 'unmute')
  const isHeld = after.hold !== undefined
  if ((before.hold !== undefined) !== isHeld) events.push(isHeld ? 'hold' : 'unhold')
  const isModified = (['coach', 'endOnExit', 'beepsOnExit'] as const).some(
    (name) => before[name] !== after[name],
  )
  if (isModified) events.push('modify')
  return events
}

/** `yes` when the others hear the participant: it is neither muted nor on hold. */
export function speaks({ isMuted, hold }: ParticipantSettings): 'yes' | 'no' {
  return isMuted || hold !== undefined ? 'no' : 'yes'
}
