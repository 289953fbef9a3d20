/** The entry of a document's call into a conference. */
import { DomainError } from '../../platform/errors.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { RecordingWish } from '../model/recording-wish.js'
import type { LegMedia } from '../telephony/leg-media.js'
import type { ConferenceNoun } from './parse/conference.js'

/** The recipients of a document's audio: one leg or several. */
export type Audience = Pick<LegMedia, 'play'>

/** A call's entry into a conference: its settings and its audio. */
export interface ConferenceEntry {
  readonly name: string
  readonly isMuted: boolean
  readonly beep: ConferenceNoun['beep']
  readonly startOnEnter: boolean
  readonly endOnExit: boolean
  readonly label: string | undefined
  readonly maxParticipants: number
  /** The sid of the only call that hears this one. */
  readonly coach: string | undefined
  /** The status callback. Its URL is absolute. */
  readonly statusCallback: ConferenceNoun['statusCallback']
  /** The recording of the whole conference, if this participant requests one. */
  readonly recording: RecordingWish | undefined
  /** The audio or markup for the participant until the conference starts. */
  readonly waiting: Waiting
  /** Plays the waiting audio; resolves when the signal aborts. */
  readonly wait: (waiting: Waiting, until: AbortSignal) => Promise<void>
  /**
   * Runs the announcement's markup once, for the audience. Rejects with AnnouncementError when the markup
   * cannot be run, with the signal's reason when aborted, and with the audience's error.
   */
  readonly announce: (
    announcement: Announcement,
    audience: Audience,
    until: AbortSignal,
  ) => Promise<void>
}

/** Markup that is played once to a conference or one participant. */
export interface Announcement {
  /** An absolute URL. */
  readonly url: string
  readonly method: WebhookMethod
}

/** The announcement's markup could not be fetched, parsed or played. */
export class AnnouncementError extends DomainError {
  override readonly name = 'AnnouncementError'
  readonly code = 'announcement'
}

/** Markup or audio that is repeated for a waiting caller. */
export interface Waiting {
  /** An absolute URL; undefined: the default music; empty: silence. */
  readonly url: string | undefined
  readonly method: WebhookMethod
}

/**
 * The conference cannot be entered. 16020: it is full. 16025: the participant label is in use. 13240: the
 * call to coach is not in it.
 */
export class ConferenceRefusedError extends DomainError {
  override readonly name = 'ConferenceRefusedError'
  readonly code = 'conference-refused'
  readonly number: 16020 | 16025 | 13240
  constructor(number: 16020 | 16025 | 13240, message: string) {
    super(message)
    this.number = number
  }
}

/** Aborts the stay of a caller who leaves the conference while the call continues. */
export class LeaveConferenceError extends Error {
  override readonly name = 'LeaveConferenceError'
}
