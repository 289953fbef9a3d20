/**
 * The audio of a leg: what may be played to it, recorded, bridged and handed out. Part of the
 * telephony port (port.ts). Once the leg has ended, every operation rejects with LegEndedError.
 */
import { DomainError } from '../../platform/errors.js'

export interface LegMedia {
  /**
   * Resolves when the source was heard in full. Rejects with the signal's reason when aborted (silent
   * within two frames), with PlaybackError when the media server cannot play it.
   */
  play(source: AudioSource, signal: AbortSignal): Promise<void>
  /** `0-9 A-D * #`, `w` 0.5 s, `W` 1 s. Resolves when all were sent. */
  sendDigits(digits: string, signal: AbortSignal): Promise<void>
  /** Connects two answered legs; resolves when the signal aborts or either leg ends. */
  bridge(other: LegMedia, signal: AbortSignal): Promise<void>
  /**
   * Enters the room of that name (letters, digits, `-`, `_`). The first leg makes the room, the last
   * one ends it. Each leg hears all others; what `play` plays to a leg meanwhile is heard by it alone.
   */
  joinRoom(room: string, voice: { readonly speaks: 'yes' | 'no' }): Promise<RoomSeat>
  /** Resolves when audio is written to `path`. */
  record(path: string, options: { readonly channels: 'mono' | 'stereo' }): Promise<LegRecording>
  /**
   * Hands out the leg's audio while it goes on. Resolves when audio comes; rejects with AdapterError
   * when the media server cannot, also for a name that is in use.
   */
  fork(request: ForkRequest, events: ForkEvents): Promise<LegFork>
  /** Sets a channel variable of the media server, for dialplans. */
  setVariable(name: string, value: string): Promise<void>
}

/** Audio that can be played: only files that trunkline made or checked itself, never a user's string. */
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
  /** Tones in turn, such as a ringing tone of two rings and a pause. */
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
  /** Letters, digits, `-` and `_`; one fork of each name on a leg. */
  readonly name: string
  /** `far-end`: what the peer says. `both`: also what it hears, two samples each, far end first. */
  readonly hears: 'far-end' | 'both'
  /** `yes`: audio given to `speak` is heard by the peer, mixed into what plays. */
  readonly speaks: 'yes' | 'no'
}

export interface ForkEvents {
  /** 20 ms, or a multiple when the media server was held up, of 16-bit little-endian samples at 8 kHz. */
  onAudio(audio: Buffer): void
  /** The audio before the mark was played, or thrown away by `silence`. */
  onMark?(name: string, how: 'played' | 'cleared'): void
  /** Once, unless the fork was stopped: the leg ended, or the media server let go. */
  onEnded(why: 'leg-over' | 'lost'): void
}

export interface LegFork {
  /**
   * Takes 16-bit little-endian samples at 8 kHz. The media server gathers 160 ms before it begins and
   * 80 ms at a time from then on. False when it takes nothing more now: the audio was not sent.
   */
  speak(audio: Buffer): boolean
  /** Comes back as `onMark` when the audio spoken before it has been heard; 30 may be pending. */
  mark(name: string): void
  /** Ends spoken audio and playback within two frames; pending marks come back as cleared. */
  silence(): void
  /** Resolves when no more audio comes. */
  stop(): Promise<void>
}

/** A leg's place in a room. It is over when the leg leaves, by `leave` or by its end. */
export interface RoomSeat {
  /** The media server's number of the member. */
  readonly member: string
  /** Resolves when the leg is out of the room, whatever the cause. */
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
  /** Records the whole room, whoever leaves, until it is stopped or the room is empty. */
  record(path: string): Promise<RoomRecording>
  /** Plays to everybody in the room; resolves when it has begun. */
  play(source: AudioSource): Promise<void>
  /** Resolves when the leg can do something else. */
  leave(): Promise<void>
}

export interface RoomRecording {
  /** Resolves when the file is closed, also when the media server gave it up by itself. */
  readonly ended: Promise<void>
  /** Resolves when the file is complete; also after the room ended. */
  stop(): Promise<void>
}

export interface LegRecording {
  /** Resolves when the file is closed, also when the media server gave it up by itself. */
  readonly ended: Promise<void>
  /** Masks the audio with silence: the file's clock goes on. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Resolves when the file is complete; also after the leg ended. */
  stop(): Promise<void>
}

export class PlaybackError extends DomainError {
  override readonly name = 'PlaybackError'
  readonly code = 'playback-failed'
}
