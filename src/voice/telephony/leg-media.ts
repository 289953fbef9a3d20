/**
 * The audio of a leg: what may be played to it, recorded, bridged and handed out. Part of the
 * telephony port (port.ts). Once the leg has ended, every operation rejects with LegEndedError.
 */
import { DomainError } from '../../platform/errors.js'

export interface LegMedia {
  /**
   * Resolves when the source was heard in full. Rejects with the signal's reason when aborted; the
   * audio stops within two frames. Rejects with PlaybackError when the media server cannot play it.
   */
  play(source: AudioSource, signal: AbortSignal): Promise<void>
  /** Sends `0-9 A-D * #`; `w` waits 0.5 s, `W` 1 s. Resolves when all digits were sent. */
  sendDigits(digits: string, signal: AbortSignal): Promise<void>
  /** Connects two answered legs; resolves when the signal aborts or either leg ends. */
  bridge(other: LegMedia, signal: AbortSignal): Promise<void>
  /**
   * Enters the room of that name (letters, digits, `-`, `_`). The first leg makes the room, and the
   * room ends with the last leg. Each leg hears all others. Audio that `play` plays to a leg is
   * heard by that leg alone.
   */
  joinRoom(room: string, voice: { readonly speaks: 'yes' | 'no' }): Promise<RoomSeat>
  /** Resolves when audio is written to `path`. */
  record(path: string, options: { readonly channels: 'mono' | 'stereo' }): Promise<LegRecording>
  /**
   * Hands out a copy of the leg's audio; the leg itself goes on. Resolves when audio comes. Rejects
   * with AdapterError when the media server cannot fork, also when the name is in use.
   */
  fork(request: ForkRequest, events: ForkEvents): Promise<LegFork>
  /** Sets a channel variable of the media server, for dialplans. */
  setVariable(name: string, value: string): Promise<void>
}

/**
 * Audio that can be played: only files that trunkline made or checked itself. A user's string is
 * never part of it.
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
  /** A list of tones played in order, such as two rings and a pause. */
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
  /** The fork's name: letters, digits, `-` and `_`. A leg has at most one fork of each name. */
  readonly name: string
  /**
   * The audio that the fork receives. `far-end`: what the peer says. `both`: also what the peer
   * hears, as two samples each, far end first.
   */
  readonly hears: 'far-end' | 'both'
  /** `yes`: audio given to `speak` is mixed into what the peer hears. */
  readonly speaks: 'yes' | 'no'
}

export interface ForkEvents {
  /**
   * Receives 16-bit little-endian samples at 8 kHz: 20 ms, or a multiple after a stall of the media
   * server.
   */
  onAudio(audio: Buffer): void
  /** Reports that the audio before the mark was played, or cleared by `silence`. */
  onMark?(name: string, how: 'played' | 'cleared'): void
  /**
   * Called once when the leg ended or the media server closed the fork; not called after `stop`.
   */
  onEnded(why: 'leg-over' | 'lost'): void
}

export interface LegFork {
  /**
   * Plays 16-bit little-endian samples at 8 kHz to the peer. The media server gathers 160 ms before
   * it begins, and 80 ms at a time from then on. Returns false when the media server takes no more
   * now: the audio was not sent.
   */
  speak(audio: Buffer): boolean
  /**
   * Sets a mark behind the audio spoken so far; `onMark` reports it once that audio has been heard.
   * At most 30 marks may be pending.
   */
  mark(name: string): void
  /** Ends spoken audio and playback within two frames. Pending marks are reported as cleared. */
  silence(): void
  /** Ends the fork. Resolves when no more audio comes. */
  stop(): Promise<void>
}

/** A leg's place in a room. It ends when the leg leaves or ends. */
export interface RoomSeat {
  /** The media server's number for this member. */
  readonly member: string
  /** Resolves when the leg is out of the room, for any cause. */
  readonly left: Promise<void>
  setSpeaks(speaks: 'yes' | 'no'): Promise<void>
  setHears(hears: 'yes' | 'no'): Promise<void>
  /** Sets whether another member of the room hears this one. */
  setHeardBy(other: RoomSeat, hears: 'yes' | 'no'): Promise<void>
  /**
   * Calls the listener when this member begins to talk, and when it has been quiet for longer than
   * between words; the returned function unsubscribes.
   */
  onTalking(listener: (talking: 'started' | 'stopped') => void): () => void
  /**
   * Records the whole room until it is stopped or the room is empty. Members may come and go
   * meanwhile.
   */
  record(path: string): Promise<RoomRecording>
  /** Plays to every member of the room. Resolves when the audio has begun. */
  play(source: AudioSource): Promise<void>
  /** Leaves the room. Resolves when the leg is free for another operation. */
  leave(): Promise<void>
}

export interface RoomRecording {
  /** Resolves when the file is closed, also when the media server ended the recording by itself. */
  readonly ended: Promise<void>
  /** Ends the recording. Resolves when the file is complete, also after the room ended. */
  stop(): Promise<void>
}

export interface LegRecording {
  /** Resolves when the file is closed, also when the media server ended the recording by itself. */
  readonly ended: Promise<void>
  /** Replaces the audio with silence; the file's clock goes on. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Ends the recording. Resolves when the file is complete, also after the leg ended. */
  stop(): Promise<void>
}

export class PlaybackError extends DomainError {
  override readonly name = 'PlaybackError'
  readonly code = 'playback-failed'
}
