import { type Deferred, deferred } from '../../platform/async/deferred.js'
import type { AudioForkHandle, ForkEvent } from './model/audio-fork.js'
import type {
  EndpointStats,
  Playback,
  PlayEnd,
  Recording,
  RecordingEnd,
} from './model/media-endpoint.js'
import { MediaClosedError } from './model/media-engine.js'
import type { EndpointReport } from './model/thread-messages.js'

interface Pending<T> {
  readonly started: Deferred
  readonly ended: Deferred<T>
}

interface RunningFork {
  readonly onEvent: (event: ForkEvent) => void
  readonly ended: Deferred
}

/** A report that settles a promise. */
export type SettlingReport = Extract<
  EndpointReport,
  {
    type:
      | 'play-started'
      | 'play-ended'
      | 'digits-sent'
      | 'recording-started'
      | 'recording-ended'
      | 'stats'
  }
>

export type ForkReport = Extract<EndpointReport, { type: 'fork-event' | 'fork-ended' }>

/** Matches the media thread's reports to the pending requests of one endpoint, by request number. */
export class PendingReports {
  readonly #playbacks = new Map<number, Pending<PlayEnd>>()
  readonly #recordings = new Map<number, Pending<RecordingEnd>>()
  readonly #digits = new Map<number, Deferred>()
  readonly #forks = new Map<number, RunningFork>()
  readonly #stats = new Map<number, Deferred<EndpointStats>>()

  playback(number: number): Playback {
    return track(this.#playbacks, number)
  }

  recording(number: number): Recording {
    return track(this.#recordings, number)
  }

  digits(number: number): Promise<void> {
    const sent: Deferred = deferred()
    this.#digits.set(number, sent)
    return sent.done
  }

  fork(number: number, onEvent: (event: ForkEvent) => void): ReturnType<AudioForkHandle['stop']> {
    const ended: Deferred = deferred()
    this.#forks.set(number, { onEvent, ended })
    return ended.done
  }

  stats(number: number): Promise<EndpointStats> {
    const answer = deferred<EndpointStats>()
    this.#stats.set(number, answer)
    return answer.done
  }

  settle(report: SettlingReport): void {
    switch (report.type) {
      case 'play-started':
        this.#playbacks.get(report.playback)?.started.resolve()
        return
      case 'play-ended':
        endPending(take(this.#playbacks, report.playback), report.end)
        return
      case 'recording-started':
        this.#recordings.get(report.recording)?.started.resolve()
        return
      case 'recording-ended':
        endPending(take(this.#recordings, report.recording), report.end)
        return
      case 'digits-sent':
        take(this.#digits, report.job)?.resolve()
        return
      case 'stats':
        take(this.#stats, report.request)?.resolve(report.stats)
    }
  }

  settleFork(report: ForkReport): void {
    if (report.type === 'fork-event') this.#forks.get(report.fork)?.onEvent(report.event)
    else take(this.#forks, report.fork)?.ended.resolve()
  }

  /** Settles everything that is pending, with an error when the engine has failed. */
  endAll(stats: EndpointStats, error: string | undefined): void {
    const recordingEnd: RecordingEnd =
      error === undefined
        ? { samples: 0, reason: 'closed' }
        : { samples: 0, reason: 'failed', error }
    for (const one of this.#playbacks.values())
      endPending(one, { reason: 'closed', playedSamples: 0 })
    for (const one of this.#recordings.values()) endPending(one, recordingEnd)
    for (const one of this.#digits.values()) one.reject(closedError())
    for (const one of this.#stats.values()) one.resolve(stats)
    for (const one of this.#forks.values()) one.ended.resolve()
  }
}

export function closedError(): MediaClosedError {
  return new MediaClosedError('the media endpoint is closed')
}

function track<T>(
  pending: Map<number, Pending<T>>,
  number: number,
): { readonly started: Promise<void>; readonly ended: Promise<T> } {
  const started: Deferred = deferred()
  const ended = deferred<T>()
  pending.set(number, { started, ended })
  return { started: started.done, ended: ended.done }
}

function endPending<T>(pending: Pending<T> | undefined, end: T): void {
  pending?.started.resolve()
  pending?.ended.resolve(end)
}

function take<T>(from: Map<number, T>, key: number): T | undefined {
  const found = from.get(key)
  from.delete(key)
  return found
}
