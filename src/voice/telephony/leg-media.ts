/**
 * The audio of a leg: playback, recording, bridges, rooms and forks. Part of the telephony port
 * (port.ts). Once the leg has ended, every operation rejects with LegEndedError.
 */
import { DomainError } from '../../platform/errors.js'
import type { MediaFigures } from './media-figures.js'

export interface LegMedia {
  /**
   * Resolves when the source was played in full. Rejects with the signal's reason when aborted; the
   * audio stops within two frames. Rejects with PlaybackError when the media server cannot play it.
   */
  play(source: AudioSource, signal: AbortSignal): Promise<void>
  /** Sends `0-9 A-D * #`; `w` waits 0.5 s, `W` 1 s. Resolves when all digits were sent. */
  sendDigits(digits: string, signal: AbortSignal): Promise<void>
  /** Connects two answered legs; resolves when the signal aborts or either leg ends. */
  bridge(other: LegMedia, signal: AbortSignal): Promise<void>
  /**
   * Enters the room of that name (letters, digits, `-`, `_`). The first leg creates the room, and
   * the room ends with the last leg. Each leg hears all others. Audio that `play` plays to a leg is
   * heard only by that leg.
   */
  joinRoom(room: string, voice: { readonly speaks: 'yes' | 'no' }): Promise<RoomSeat>
  /** Starts recording to `path`. Resolves when audio is written. */
  record(path: string, options: { readonly channels: 'mono' | 'stereo' }): Promise<LegRecording>
  /**
   * Streams a copy of the leg's audio; the leg's own audio is unchanged. Resolves when audio arrives. Rejects
   * with AdapterError when the media server cannot fork, also when the name is in use.
   */
  fork(request: ForkRequest, events: ForkEvents): Promise<LegFork>
  /** Resolves with what the audio is so far; undefined before there is any, and when the server does not tell. */
  figures(): Promise<MediaFigures | undefined>
  /** Sets a channel variable of the media server, for dialplans. */
  setVariable(name: string, value: string): Promise<void>
}

/**
 * Audio that can be played. It names only files that trunkline created or checked; it never
 * contains text from a user.
 */
export type AudioSource =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'silence'; readonly durationMs: number }
  | {
      readonly type: 'tone'
      readonly frequencies: readonly number[]
      readonly onMs: number
      readonly offMs: number
      readonly repeat: number
    }
  /** A sequence of tones, such as two rings and a pause. */
  | {
      readonly type: 'cadence'
      readonly parts: readonly {
        readonly frequencies: readonly number[]
        readonly onMs: number
        readonly offMs: number
      }[]
      readonly repeat: number
    }

export interface ForkRequest {
  /** Letters, digits, `-` and `_`; unique among the forks of a leg. */
  readonly name: string
  /**
   * The audio that the fork receives. `far-end`: what the peer says. `both`: also what the peer
   * hears, in interleaved stereo with the far end first.
   */
  readonly hears: 'far-end' | 'both'
  /** `yes`: audio given to `speak` is mixed into what the peer hears. */
  readonly speaks: 'yes' | 'no'
}

export interface ForkEvents {
  /**
   * Called with 16-bit little-endian samples at 8 kHz: 20 ms, or a multiple of it after a stall of
   * the media server.
   */
  onAudio(audio: Buffer): void
  /** Called when the audio before the mark was played, or was cleared by `silence`. */
  onMark?(name: string, how: 'played' | 'cleared'): void
  /** Called once when the leg ended or the media server closed the fork; not called after `stop`. */
  onEnded(why: 'leg-over' | 'lost'): void
}

export interface LegFork {
  /**
   * Plays 16-bit little-endian samples at 8 kHz to the peer. The media server buffers 160 ms before
   * it begins, then 80 ms at a time. Returns false when its buffer is full: the audio was not sent.
   */
  speak(audio: Buffer): boolean
  /**
   * Sets a mark after the audio spoken so far; `onMark` reports it once that audio was played. At
   * most 30 marks may be pending.
   */
  mark(name: string): void
  /** Stops spoken audio and playback within two frames. Pending marks are reported as cleared. */
  silence(): void
  /** Ends the fork. Resolves once no more audio arrives. */
  stop(): Promise<void>
}

/** A leg's membership in a room. It ends when the leg leaves or ends. */
export interface RoomSeat {
  /** The media server's number of this member. */
  readonly member: string
  /** Resolves when the leg has left the room, for any cause. */
  readonly left: Promise<void>
  setSpeaks(speaks: 'yes' | 'no'): Promise<void>
  setHears(hears: 'yes' | 'no'): Promise<void>
  /** Sets whether another member hears this one. */
  setHeardBy(other: RoomSeat, hears: 'yes' | 'no'): Promise<void>
  /**
   * Calls the listener when this member starts to talk, and when it has been silent for longer than
   * a pause between words. The returned function unsubscribes.
   */
  onTalking(listener: (talking: 'started' | 'stopped') => void): () => void
  /**
   * Records the whole room until it is stopped or the room is empty. Members may join and leave meanwhile.
   */
  record(path: string): Promise<RoomRecording>
  /** Plays to every member of the room. Resolves when playback has started. */
  play(source: AudioSource): Promise<void>
  /** Leaves the room. Resolves when the leg can start another operation. */
  leave(): Promise<void>
}

export interface RoomRecording {
  /** Resolves when the file is closed, also when the media server stops the recording. */
  readonly ended: Promise<void>
  /** Stops the recording. Resolves when the file is complete, also after the room has ended. */
  stop(): Promise<void>
}

export interface LegRecording {
  /** Resolves when the file is closed, also when the media server stops the recording. */
  readonly ended: Promise<void>
  /** Records silence until `resume`; the length of the file keeps growing. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Stops the recording. Resolves when the file is complete, also after the leg has ended. */
  stop(): Promise<void>
}

export class PlaybackError extends DomainError {
  override readonly name = 'PlaybackError'
  readonly code = 'playback-failed'
}
