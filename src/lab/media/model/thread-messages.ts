/** The messages between the main thread and the media thread. The main thread chooses the ids. */
import type { ForkEvent, ForkRequest } from './audio-fork.js'
import type { EndpointStats, PlayEnd, PlaySource, RecordingEnd } from './media-endpoint.js'
import type { EngineStats } from './media-engine.js'
import type { RemoteMedia } from './remote-media.js'

export interface ThreadOptions {
  readonly host: string
  readonly rtpPorts: { readonly first: number; readonly last: number }
  readonly mediaRelays: readonly string[]
}

export type ForkControl =
  | { readonly type: 'send-text'; readonly text: string }
  | { readonly type: 'pause' | 'resume' | 'shut-down' | 'clear-playout' }
  | { readonly type: 'stop'; readonly text: string | undefined }

/** A command to one endpoint. */
export type EndpointCommand =
  | { readonly type: 'set-remote'; readonly remote: RemoteMedia }
  | { readonly type: 'play'; readonly playback: number; readonly source: PlaySource }
  | { readonly type: 'break'; readonly which: 'current' | 'all' }
  | {
      readonly type: 'send-digits'
      readonly job: number
      readonly digits: string
      readonly durationMs: number
      readonly gapMs: number
    }
  | { readonly type: 'record'; readonly recording: number; readonly request: RecordingRequest }
  | { readonly type: 'stop-recording'; readonly path: string }
  | { readonly type: 'mask-recording'; readonly path: string; readonly isMasked: boolean }
  | { readonly type: 'fork'; readonly fork: number; readonly request: ForkRequest }
  | { readonly type: 'control-fork'; readonly fork: number; readonly control: ForkControl }
  | { readonly type: 'bridge'; readonly other: number }
  | { readonly type: 'unbridge' }
  | { readonly type: 'join-room'; readonly room: number }
  | { readonly type: 'leave-room' }
  | { readonly type: 'set-room-voice'; readonly speaks: boolean; readonly hears: boolean }
  | { readonly type: 'set-deaf-to'; readonly other: number; readonly isDeaf: boolean }
  | { readonly type: 'set-echo'; readonly isOn: boolean }
  | { readonly type: 'set-mute'; readonly direction: 'read' | 'write'; readonly isMuted: boolean }
  | { readonly type: 'detect-digits'; readonly isOn: boolean }
  | { readonly type: 'generate-digits'; readonly isOn: boolean }
  | { readonly type: 'watch-level'; readonly hangoverMs: number }
  | { readonly type: 'watch-silence'; readonly timeoutMs: number }
  | { readonly type: 'report-stats'; readonly request: number }
  | { readonly type: 'close' }

export type ThreadCommand =
  | { readonly type: 'open'; readonly endpoint: number }
  /** Opens a room. A room takes those commands of an endpoint that play, record or close. */
  | { readonly type: 'open-room'; readonly room: number }
  | { readonly type: 'command'; readonly endpoint: number; readonly command: EndpointCommand }
  | { readonly type: 'engine-stats'; readonly request: number }
  /** Closes every endpoint and lets the thread end. */
  | { readonly type: 'shut-down' }

/** A report about one endpoint. */
export type EndpointReport =
  | { readonly type: 'opened'; readonly port: number }
  | { readonly type: 'open-failed'; readonly isNoPort: boolean; readonly error: string }
  | { readonly type: 'play-started'; readonly playback: number }
  | { readonly type: 'play-ended'; readonly playback: number; readonly end: PlayEnd }
  | { readonly type: 'digits-sent'; readonly job: number }
  | { readonly type: 'recording-started'; readonly recording: number }
  | { readonly type: 'recording-ended'; readonly recording: number; readonly end: RecordingEnd }
  | { readonly type: 'fork-event'; readonly fork: number; readonly event: ForkEvent }
  | { readonly type: 'fork-ended'; readonly fork: number }
  | {
      readonly type: 'digit'
      readonly digit: string
      readonly durationMs: number
      readonly source: 'rfc4733' | 'in-band'
    }
  | { readonly type: 'first-packet' }
  | { readonly type: 'forged-packet' }
  | { readonly type: 'talking'; readonly isTalking: boolean }
  | { readonly type: 'media-timeout' }
  | { readonly type: 'stats'; readonly request: number; readonly stats: EndpointStats }
  /** The last report about an endpoint; with an error when the engine has failed. */
  | { readonly type: 'closed'; readonly stats: EndpointStats; readonly error?: string }

export type ThreadReport =
  /** The first report: the thread accepts commands. */
  | { readonly type: 'running' }
  | { readonly type: 'report'; readonly endpoint: number; readonly report: EndpointReport }
  | { readonly type: 'engine-stats'; readonly request: number; readonly stats: EngineStats }

export interface RecordingRequest {
  readonly path: string
  readonly channels: 'mono' | 'stereo'
  readonly limitMs?: number | undefined
  readonly isReadOnly?: boolean
}
