/**
 * One party's audio as the main thread sees it. Everything here crosses to the media thread as a
 * message; audio never crosses back except where a caller asked for events about it.
 */
import type { AudioForkHandle, ForkEvent, ForkRequest } from './audio-fork.js'
import type { RemoteMedia } from './remote-media.js'

export type PlaySource =
  /** WAV of any usual rate and encoding; the offset counts samples at 8 kHz. */
  | { readonly type: 'file'; readonly path: string; readonly offsetSamples?: number }
  /** Teletone script as FreeSWITCH writes it: `%(on,off,freq,…);loops=N`, `v=`, `L=`. */
  | { readonly type: 'tone'; readonly script: string }
  /** -1 for ever, 0 likewise. */
  | { readonly type: 'silence'; readonly durationMs: number }
  /** 8 kHz mono. */
  | { readonly type: 'samples'; readonly pcm: Int16Array }

export type PlayEnd =
  | { readonly reason: 'done' | 'break' | 'closed'; readonly playedSamples: number }
  | { readonly reason: 'failed'; readonly playedSamples: 0; readonly error: string }

export interface Playback {
  /** Resolves when its first frame is sent, or when it ends before that. Starts once the peer is known. */
  readonly started: Promise<void>
  /** Always resolves. */
  readonly ended: Promise<PlayEnd>
}

export interface EndpointEvents {
  /** Once per key press, when its end (or its timeout) is known. */
  onDigit?(digit: string, durationMs: number, source: 'rfc4733' | 'in-band'): void
  /** The first packet from the peer. */
  onFirstPacket?(): void
  /** Voice or tone began after a silence, or ended; only after `watchLevel`. */
  onTalking?(isTalking: boolean): void
  /** Nothing received for this long (only when asked for with `watchSilence`). */
  onMediaTimeout?(): void
  /** A fault in the engine closed the endpoint; everything pending was ended before. */
  onFailed?(error: Error): void
}

export interface RecordingEnd {
  readonly samples: number
  readonly reason: 'stopped' | 'limit' | 'closed' | 'failed'
  readonly error?: string
}

export interface Recording {
  /** Resolves when the file is there, or when the recording ends before that. */
  readonly started: Promise<void>
  /** Always resolves; the file is complete then. */
  readonly ended: Promise<RecordingEnd>
}

/** A place where many endpoints hear each other: all members hear its playbacks, its recordings hold what all of them say. */
export type MediaRoom = Pick<
  MediaEndpoint,
  'id' | 'play' | 'break' | 'record' | 'stopRecording' | 'maskRecording' | 'close'
>

export interface MediaEndpoint {
  readonly id: string
  readonly port: number
  setRemote(remote: RemoteMedia): void
  /** Queued after what already plays, as in FreeSWITCH's one-application-at-a-time channel. */
  play(source: PlaySource): Playback
  /** Stops the current playback, or all queued ones too. Silent within one frame. */
  break(which: 'current' | 'all'): void
  /**
   * RFC 4733 when the peer takes it, else in-band tones. `w` pauses 500 ms, `W` 1 s. Resolves when sent;
   * rejects with RangeError at another character, with MediaClosedError when the endpoint closes first.
   */
  sendDigits(
    digits: string,
    options?: { readonly durationMs?: number | undefined; readonly gapMs?: number },
  ): Promise<void>
  /**
   * WAV, 8 kHz 16 bit. `mono` mixes both directions; `stereo` has what the peer said on the left and what
   * it heard on the right. Header valid at any moment a crash can hit, to within a second of audio.
   */
  record(
    path: string,
    options: {
      readonly channels: 'mono' | 'stereo'
      readonly limitMs?: number | undefined
      readonly isReadOnly?: boolean
    },
  ): Recording
  stopRecording(path: string): void
  /** Masked: silence is recorded in place of the audio. */
  maskRecording(path: string, isMasked: boolean): void
  /** Sends audio to a websocket, at once; events end when the endpoint closes or the fork is stopped. */
  fork(request: ForkRequest, onEvent: (event: ForkEvent) => void): AudioForkHandle
  /** Audio (and digits) of each goes to the other; playbacks still win over the bridge. */
  bridge(other: MediaEndpoint): void
  unbridge(): void
  /** Leaves its bridge or room, and joins this one: speaking and hearing. What plays to it alone wins over the room. */
  joinRoom(room: MediaRoom): void
  leaveRoom(): void
  setRoomVoice(voice: { readonly speaks: boolean; readonly hears: boolean }): void
  /** It does not hear this other member, or hears it again. */
  setDeafTo(other: MediaEndpoint, isDeaf: boolean): void
  /** Looks for keys in the audio as well; off until it is asked for. */
  setDigitDetection(isOn: boolean): void
  /** Sends back what it receives. */
  setEcho(isOn: boolean): void
  setMute(direction: 'read' | 'write', isMuted: boolean): void
  /** Reports talking and quiet (`onTalking`) with this hang-over. */
  watchLevel(options: { readonly hangoverMs: number }): void
  watchSilence(timeoutMs: number): void
  /** After the close: the last ones. */
  stats(): Promise<EndpointStats>
  /** Ends what plays and records, then frees the port. Safe to call again. */
  close(): Promise<EndpointStats>
}

export interface EndpointStats {
  readonly packetsSent: number
  readonly packetsReceived: number
  readonly packetsLost: number
  readonly packetsIgnored: number
  readonly jitterMs: number
}
