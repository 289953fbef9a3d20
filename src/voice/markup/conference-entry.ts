/** How a document brings its call into a conference. */

import { DomainError } from '../../platform/errors.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { LegMedia } from '../telephony/leg-media.js'
import type { ConferenceNoun } from './parse/conference.js'

/** Several that hear the same document. */
export type Audience = Pick<LegMedia, 'play'>

/** How a call comes into a room, hears and is heard there, and goes. */
export interface ConferenceEntry {
  readonly name: string
  readonly isMuted: boolean
  readonly beep: ConferenceNoun['beep']
  readonly startOnEnter: boolean
  readonly endOnExit: boolean
  readonly label: string | undefined
  readonly maxParticipants: number
  /** The sid of the call that alone hears this one. */
  readonly coach: string | undefined
  /** The URL is absolute. */
  readonly statusCallback: ConferenceNoun['statusCallback']
  /** Undefined: it is not for this one's sake that it is recorded. */
  readonly recording: ConferenceRecordingWish | undefined
  /** What is heard until the conference starts. */
  readonly waiting: Waiting
  /** Plays what somebody who waits is to hear, until the signal aborts; then resolves. */
  readonly wait: (waiting: Waiting, until: AbortSignal) => Promise<void>
  /**
   * Runs the announcement's markup once, for the audience. Rejects with AnnouncementError when it
   * cannot be carried out, with the signal's reason when aborted, and with what the audience met.
   */
  readonly announce: (
    announcement: Announcement,
    audience: Audience,
    until: AbortSignal,
  ) => Promise<void>
}

/** Markup that a room, or somebody in it, is to hear once. */
export interface Announcement {
  /** Absolute. */
  readonly url: string
  readonly method: WebhookMethod
}

/** The announcement's markup could not be fetched, understood or played. */
export class AnnouncementError extends DomainError {
  override readonly name = 'AnnouncementError'
  readonly code = 'announcement'
}

/** A recording of what all say, from the start on. */
export interface ConferenceRecordingWish {
  readonly trim: ConferenceNoun['trim']
  /** The URL is absolute. */
  readonly callback: ConferenceNoun['recordingStatusCallback']
}

/** Markup or audio, again and again. */
export interface Waiting {
  /** Absolute. Undefined: the usual music; empty: silence. */
  readonly url: string | undefined
  readonly method: WebhookMethod
}

/** A room that cannot be entered: 16020 full, 16025 the participant label is in use. */
export class ConferenceRefusedError extends DomainError {
  override readonly name = 'ConferenceRefusedError'
  readonly code = 'conference-refused'
  readonly number: 16020 | 16025
  constructor(number: 16020 | 16025, message: string) {
    super(message)
    this.number = number
  }
}
