/**
 * One party's audio as the main thread sees it. Every call here becomes a message to the media
 * thread. Audio never comes back, except where a caller asked for events about it.
 */
import type { AudioForkHandle, ForkEvent, ForkRequest } from './audio-fork.js'
import type { RemoteMedia } from './remote-media.js'

export type PlaySource =
  /** A WAV file of any usual rate and encoding; the offset counts samples at 8 kHz. */
  | { readonly type: 'file'; readonly path: string; readonly offsetSamples?: number }
  /** A teletone script as FreeSWITCH writes it: `%(on,off,freq,…);loops=N`, `v=`, `L=`. */
  | { readonly type: 'tone'; readonly script: string }
  /** Silence; a duration of -1 or 0 has no end. */
  | { readonly type: 'silence'; readonly durationMs: number }
  /** Samples of 8 kHz mono. */
  | { readonly type: 'samples'; readonly pcm: Int16Array }

export type PlayEnd =
  | { readonly reason: 'done' | 'break' | 'closed'; readonly playedSamples: number }
  | { readonly reason: 'failed'; readonly playedSamples: 0; readonly error: string }

export interface Playback {
  /**
   * Resolves when the first frame is sent, or when the playback ends before that. Playback starts once the
   * peer's address is known.
   */
  readonly started: Promise<void>
  /** Resolves when the playback has ended; never rejects. */
  readonly ended: Promise<PlayEnd>
}

export interface EndpointEvents {
  /** Called once for each key press, when its end (or its timeout) is known. */
  onDigit?(digit: string, durationMs: number, source: 'rfc4733' | 'in-band'): void
  /** Called at the first packet from the peer. */
  onFirstPacket?(): void
  /** Called when sound begins after silence, or ends; only after `watchLevel`. */
  onTalking?(isTalking: boolean): void
  /** Called when nothing was received for the time set by `watchSilence`. */
  onMediaTimeout?(): void
  /** Called once, at the first packet that fails SRTP authentication: the peer uses another key. */
  onForgedPacket?(): void
  /** Called when an engine fault has closed the endpoint, after all pending work was settled. */
  onFailed?(error: Error): void
}

export interface RecordingEnd {
  readonly samples: number
  readonly reason: 'stopped' | 'limit' | 'closed' | 'failed'
  readonly error?: string
}

export interface Recording {
  /** Resolves when the file exists, or when the recording ends before that. */
  readonly started: Promise<void>
  /** Resolves when the recording has ended and the file is complete; never rejects. */
  readonly ended: Promise<RecordingEnd>
}

/**
 * A place where many endpoints hear each other. All members hear its playbacks, and its recordings
 * hold what all of them say.
 */
export type MediaRoom = Pick<
  MediaEndpoint,
  'id' | 'play' | 'break' | 'record' | 'stopRecording' | 'maskRecording' | 'close'
>

export interface MediaEndpoint {
  readonly id: string
  readonly port: number
  setRemote(remote: RemoteMedia): void
  /**
   * Plays a source. It is queued after what already plays, as in FreeSWITCH's
   * one-application-at-a-time channel.
   */
  play(source: PlaySource): Playback
  /**
   * Stops the current playback, or all queued ones too. The peer hears silence within one frame.
   */
  break(which: 'current' | 'all'): void
  /**
   * Sends keys by RFC 4733 when the peer takes it, else as `setDigitTones` says. `w` pauses 500 ms, `W` 1
   * s. Resolves when sent. Rejects with RangeError at another character, with MediaClosedError when
   * the endpoint closes first.
   */
  sendDigits(
    digits: string,
    options?: { readonly durationMs?: number | undefined; readonly gapMs?: number },
  ): Promise<void>
  /**
   * Records a WAV file, 8 kHz 16 bit. `mono` mixes both directions; `stereo` has what the peer said
   * on the left and what it heard on the right. The header is valid at any moment a crash can hit,
   * to within a second of audio.
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
  /** Masks or unmasks a recording: a masked one gets silence in place of the audio. */
  maskRecording(path: string, isMasked: boolean): void
  /**
   * Starts to send audio to a websocket. No events follow once the endpoint closes or the fork is stopped.
   */
  fork(request: ForkRequest, onEvent: (event: ForkEvent) => void): AudioForkHandle
  /**
   * Bridges two endpoints: the audio and digits of each go to the other. Playbacks still win over
   * the bridge.
   */
  bridge(other: MediaEndpoint): void
  unbridge(): void
  /**
   * Leaves the bridge or room that it is in, and joins this one, speaking and hearing. A playback
   * to it alone wins over the room.
   */
  joinRoom(room: MediaRoom): void
  leaveRoom(): void
  setRoomVoice(voice: { readonly speaks: boolean; readonly hears: boolean }): void
  /** Mutes another member for this one only, or unmutes it. */
  setDeafTo(other: MediaEndpoint, isDeaf: boolean): void
  /** Whether digits for a peer without RFC 4733 support are sent as tones or dropped; initially as tones. */
  setDigitTones(isOn: boolean): void
  /** Turns DTMF detection in the audio on or off; initially off. */
  setDigitDetection(isOn: boolean): void
  /** Switches the echo of the received audio on or off. */
  setEcho(isOn: boolean): void
  setMute(direction: 'read' | 'write', isMuted: boolean): void
  /** Reports talking and silence by `onTalking`, with this hangover time. */
  watchLevel(options: { readonly hangoverMs: number }): void
  watchSilence(timeoutMs: number): void
  /** Returns the counters; after the endpoint is closed, their last values. */
  stats(): Promise<EndpointStats>
  /** Ends playbacks and recordings, then frees the port. Safe to call again. */
  close(): Promise<EndpointStats>
}

export interface EndpointStats {
  readonly packetsSent: number
  readonly packetsReceived: number
  readonly packetsLost: number
  readonly packetsIgnored: number
  /** Number of packets ignored because they failed SRTP authentication. */
  readonly packetsForged: number
  /** Number of SRTP packets ignored as replays or as too old to check. */
  readonly packetsReplayed: number
  readonly jitterMs: number
  readonly bytesSent: number
  readonly bytesReceived: number
  /** The longest time between two packets of the peer, ms; 0 before the second. */
  readonly largestGapMs: number
  /** Number of received packets of telephone events (RFC 4733). */
  readonly digitPackets: number
  /** The payload type of the peer's last packet that was ignored as never agreed; -1 for none. */
  readonly unexpectedType: number
  /** The round trip by the peer's last report (RFC 3550 §6.4.1), ms; -1 without one. */
  readonly roundTripMs: number
  /** The address that the peer's packets came from; empty before the first. */
  readonly sourceAddress: string
  readonly sourcePort: number
}

/** The counters of an endpoint that has handled no packet. */
export const NO_STATS: EndpointStats = {
  packetsSent: 0,
  packetsReceived: 0,
  packetsLost: 0,
  packetsIgnored: 0,
  packetsForged: 0,
  packetsReplayed: 0,
  jitterMs: 0,
  bytesSent: 0,
  bytesReceived: 0,
  largestGapMs: 0,
  digitPackets: 0,
  unexpectedType: -1,
  roundTripMs: -1,
  sourceAddress: '',
  sourcePort: 0,
}
