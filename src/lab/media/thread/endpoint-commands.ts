/** Executes each command on its endpoint or room. */
import { performance } from 'node:perf_hooks'
import { TalkDetector } from '../dsp/level.js'
import type { OpenFiles } from '../files/open-files.js'
import { Recorder } from '../files/recorder.js'
import { AudioFork, controlFork } from '../forks/audio-fork.js'
import type { Tap } from '../model/audio-flow.js'
import type { ForkRequest } from '../model/audio-fork.js'
import type { EndpointCommand, EndpointReport, RecordingRequest } from '../model/thread-messages.js'
import type { Bridges } from './bridges.js'
import type { Endpoint } from './endpoint.js'
import type { Room, Rooms } from './room.js'

/** Reports when the peer starts and stops talking. */
class TalkWatch implements Tap {
  readonly #detector: TalkDetector
  readonly #onTalking: (isTalking: boolean) => void

  constructor(hangoverMs: number, onTalking: (isTalking: boolean) => void) {
    this.#detector = new TalkDetector(hangoverMs)
    this.#onTalking = onTalking
  }

  write(heard: Int16Array): void {
    const change = this.#detector.onFrame(heard)
    if (change !== undefined) this.#onTalking(change)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

export interface CommandContext {
  readonly files: OpenFiles
  readonly bridges: Bridges
  readonly rooms: Rooms
  readonly report: (report: EndpointReport) => void
  readonly find: (endpoint: number) => Endpoint | undefined
  readonly close: () => void
}

type Handlers = {
  readonly [T in EndpointCommand['type']]: (
    endpoint: Endpoint,
    command: Extract<EndpointCommand, { type: T }>,
    context: CommandContext,
  ) => void
}

const HANDLERS: Handlers = {
  'set-remote': (endpoint, { remote }) => {
    endpoint.link.setRemote(remote)
  },
  play: (endpoint, { playback, source }) => {
    endpoint.playbacks.add(playback, source)
  },
  break: (endpoint, { which }) => {
    endpoint.playbacks.break(which)
  },
  'send-digits': (endpoint, { job, digits, durationMs, gapMs }, { report }) => {
    const onSent = (): void => {
      report({ type: 'digits-sent', job })
    }
    endpoint.digits.add({ digits, durationMs, gapMs, onSent })
  },
  record: (endpoint, { recording, request }, context) => {
    startRecording(endpoint, recording, request, context)
  },
  'stop-recording': (endpoint, { path }) => {
    void recorderOf(endpoint, path)?.stop('stopped')
  },
  'mask-recording': (endpoint, { path, isMasked }) => {
    recorderOf(endpoint, path)?.setMasked(isMasked)
  },
  fork: (endpoint, { fork, request }, context) => {
    startFork(endpoint, fork, request, context)
  },
  'control-fork': (endpoint, { fork, control }) => {
    const running = endpoint.forks.get(fork)
    if (running !== undefined) controlFork(running, control)
  },
  bridge: (endpoint, { other }, { bridges, find }) => {
    const partner = find(other)
    if (partner !== undefined) bridges.bridge(endpoint, partner)
  },
  unbridge: (endpoint, _command, { bridges }) => {
    bridges.unbridge(endpoint)
  },
  'join-room': (endpoint, { room }, { bridges, rooms }) => {
    bridges.unbridge(endpoint)
    rooms.roomOf(endpoint)?.leave(endpoint)
    rooms.get(room)?.join(endpoint)
  },
  'leave-room': (endpoint, _command, { rooms }) => {
    rooms.roomOf(endpoint)?.leave(endpoint)
  },
  'set-room-voice': (endpoint, voice, { rooms }) => {
    rooms.roomOf(endpoint)?.setVoice(endpoint, voice)
  },
  'set-deaf-to': (endpoint, { other, isDeaf }, { rooms, find }) => {
    const partner = find(other)
    if (partner !== undefined) rooms.roomOf(endpoint)?.setDeafTo(endpoint, partner, isDeaf)
  },
  'detect-digits': (endpoint, { isOn }, { report }) => {
    endpoint.detectDigits(
      isOn
        ? (digit, durationMs) => {
            report({ type: 'digit', digit, durationMs, source: 'in-band' })
          }
        : undefined,
    )
  },
  'generate-digits': (endpoint, { isOn }) => {
    endpoint.digits.hasTones = isOn
  },
  'set-echo': (endpoint, { isOn }, { bridges }) => {
    bridges.setEcho(endpoint, isOn)
  },
  'set-mute': (endpoint, { direction, isMuted }) => {
    endpoint.setMute(direction, isMuted)
  },
  'watch-level': (endpoint, { hangoverMs }, { report }) => {
    for (const tap of endpoint.taps) if (tap instanceof TalkWatch) endpoint.taps.delete(tap)
    const onTalking = (isTalking: boolean): void => {
      report({ type: 'talking', isTalking })
    }
    endpoint.taps.add(new TalkWatch(hangoverMs, onTalking))
  },
  'watch-silence': (endpoint, { timeoutMs }) => {
    endpoint.watch.start(timeoutMs, performance.now())
  },
  'report-stats': (endpoint, { request }, { report }) => {
    report({ type: 'stats', request, stats: endpoint.link.stats() })
  },
  close: (_endpoint, _command, { close }) => {
    close()
  },
}

/** Connects a fork to its audio sources and its playout. */
function startFork(
  endpoint: Endpoint,
  number: number,
  request: ForkRequest,
  { report }: { readonly report: (report: EndpointReport) => void },
): void {
  const { arrivals } = endpoint.link.receiver
  const fork = new AudioFork(request, {
    onEvent: (event) => {
      report({ type: 'fork-event', fork: number, event })
    },
    onEnded: () => {
      endpoint.forks.delete(number)
      endpoint.taps.delete(fork)
      endpoint.dubs.delete(fork)
      arrivals.delete(fork)
      report({ type: 'fork-ended', fork: number })
    },
  })
  endpoint.forks.set(number, fork)
  endpoint.taps.add(fork)
  if (request.mix === 'mono') arrivals.add(fork)
  if (request.playout !== undefined) endpoint.dubs.add(fork)
}

export function runCommand(
  endpoint: Endpoint,
  command: EndpointCommand,
  context: CommandContext,
): void {
  // The table's key is the command's type, which the compiler cannot follow through a union.
  const handle = HANDLERS[command.type] as (
    endpoint: Endpoint,
    command: EndpointCommand,
    context: CommandContext,
  ) => void
  handle(endpoint, command, context)
}

/** Executes a command on a room; throws RangeError for a command that only an endpoint has. */
export function runRoomCommand(
  room: Room,
  command: EndpointCommand,
  context: CommandContext,
): void {
  switch (command.type) {
    case 'play':
      room.playbacks.add(command.playback, command.source)
      return
    case 'break':
      room.playbacks.break(command.which)
      return
    case 'record':
      startRecording(room, command.recording, command.request, context)
      return
    case 'stop-recording':
      void recorderOf(room, command.path)?.stop('stopped')
      return
    case 'mask-recording':
      recorderOf(room, command.path)?.setMasked(command.isMasked)
      return
    case 'close':
      context.close()
      return
    default:
      throw new RangeError(`a room cannot ${command.type}`)
  }
}

/** An endpoint or a room; both can be recorded. */
interface Recorded {
  readonly taps: Set<Tap>
}

function startRecording(
  recorded: Recorded,
  recording: number,
  request: RecordingRequest,
  { files, report }: CommandContext,
): void {
  if (recorderOf(recorded, request.path) !== undefined) {
    const error = 'this endpoint already records to that file'
    report({ type: 'recording-ended', recording, end: { samples: 0, reason: 'failed', error } })
    return
  }
  const recorder = new Recorder(request, files, {
    onStarted: () => {
      report({ type: 'recording-started', recording })
    },
    onEnded: (end) => {
      recorded.taps.delete(recorder)
      report({ type: 'recording-ended', recording, end })
    },
  })
  recorded.taps.add(recorder)
}

/** Returns the active recorder of the path. */
function recorderOf(recorded: Recorded, path: string): Recorder | undefined {
  for (const tap of recorded.taps)
    if (tap instanceof Recorder && tap.request.path === path && !tap.isOver) return tap
  return undefined
}
