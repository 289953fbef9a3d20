import type { Logger } from '../../../platform/log.js'
import type { EndpointStats, MediaEndpoint } from '../../media/model/media-endpoint.js'
import type { IncomingCall } from '../../sip/user-agent/user-agent-types.js'
import type { EventBus } from '../events/event-bus.js'
import type { CommandLog } from '../model/command-log.js'
import { type HangupCause, reasonHeader } from '../model/hangup-cause.js'
import type { SwitchFacts } from '../model/switch-facts.js'
import type { AppFrame, Digit } from './app-frame.js'
import { AppRunner, type AppTraits, type ExecuteRequest } from './app-runner.js'
import { applicationHeaders, type BaseApplication, tellComplete } from './application-events.js'
import type { CallProfile } from './call-profile.js'
import { channelHeaders, type Described } from './channel-headers.js'
import { DigitQueue } from './digit-queue.js'
import { endVariables, mediaStatsVariables } from './end-variables.js'
import { expandFor } from './expand-argument.js'
import { Forks } from './forks.js'
import { type CallState, callStateNumber, type Progress } from './progress.js'
import { Recordings } from './recordings.js'
import { SilenceWatch } from './silence-watch.js'
import { ChannelVariables } from './variables.js'

/** The applications that clients can execute on a channel. */
export interface Applications {
  /** Returns the traits of an application; undefined for an unknown one. */
  traits(request: ExecuteRequest): AppTraits | undefined
  /** Resolves when the application, and every application on top of it, has ended. */
  run(request: ExecuteRequest, channel: Channel, frame: AppFrame): Promise<void>
}

export interface ChannelDeps {
  readonly bus: EventBus
  readonly log: Logger
  readonly commandLog: CommandLog
  readonly facts: SwitchFacts
  readonly apps: Applications
  /** Called when the channel is hung up, so that its bridge partner is handled. */
  onHangup(channel: Channel): void
  /** Called when the channel's applications have ended; the connection that controls it may then close. */
  onDown(channel: Channel): void
  /** Called when the channel is disposed. */
  onGone(channel: Channel): void
}

export interface ChannelStart {
  readonly uuid: string
  readonly profile: CallProfile
  readonly progress: Progress
  readonly leg: ChannelLeg
}

/** The SIP call and the media endpoint of a channel. */
export interface ChannelLeg {
  readonly call: IncomingCall
  readonly media: MediaEndpoint
  /** Sends a new offer in a re-INVITE. */
  readonly offerAnew: () => void
}

interface ChannelWork {
  readonly apps: AppRunner
  readonly digits: DigitQueue
  readonly recordings: Recordings
  readonly forks: Forks
  readonly silence: SilenceWatch
}

/** The other channel of a bridge. */
export interface Partner {
  readonly channel: Channel
  /** The other channel's role in the bridge. */
  readonly role: 'originator' | 'originatee'
}

/** What the channel is doing besides its applications: its base application and its bridge partner. */
export interface Situation {
  base: BaseApplication | undefined
  partner: Partner | undefined
}

/** The events that include the channel's variables; other events have only the basic headers. */
const VERBOSE: ReadonlySet<string> = new Set(
  `CHANNEL_CREATE CHANNEL_ANSWER CHANNEL_PARK CHANNEL_UNPARK CHANNEL_BRIDGE CHANNEL_UNBRIDGE
  CHANNEL_PROGRESS CHANNEL_PROGRESS_MEDIA CHANNEL_HANGUP CHANNEL_HANGUP_COMPLETE CHANNEL_DATA
  CHANNEL_EXECUTE CHANNEL_EXECUTE_COMPLETE CHANNEL_DESTROY RECORD_START RECORD_STOP PLAYBACK_START
  PLAYBACK_STOP CHANNEL_HOLD CHANNEL_UNHOLD CUSTOM`.split(/\s+/),
)
/** Time after which a hung-up channel is closed even if an application has not ended (a bug), ms. */
const IDLE_LIMIT_MS = 5_000

/** One call leg of the media server: its state, its variables and its running applications. */
export class Channel {
  readonly uuid: string
  readonly profile: CallProfile
  readonly progress: Progress
  readonly leg: ChannelLeg
  readonly variables = new ChannelVariables()
  readonly situation: Situation = { base: undefined, partner: undefined }
  readonly work: ChannelWork
  readonly scheduledEnds = new ScheduledEnds()
  readonly #deps: ChannelDeps

  constructor(start: ChannelStart, deps: ChannelDeps) {
    this.uuid = start.uuid
    this.profile = start.profile
    this.progress = start.progress
    this.leg = start.leg
    this.#deps = deps
    this.work = this.#makeWork()
  }

  get isDown(): boolean {
    return this.progress.cause !== undefined
  }

  /** Runs or queues an application. Returns false when the channel is hung up or the queue is full. */
  execute(request: ExecuteRequest): boolean {
    return !this.isDown && this.work.apps.execute(request)
  }

  expand(text: string): string {
    return expandFor(this, text, this.#deps)
  }

  receive(digit: Digit): void {
    this.work.digits.push(digit)
  }

  /** Enters a call state and sends its event; sends nothing if the state is the same. */
  enterCallState(callState: CallState): void {
    const before = this.progress.callState
    if (before === callState) return
    this.progress.callState = callState
    this.fire('CHANNEL_CALLSTATE', [
      ['Original-Channel-Call-State', before],
      ['Channel-Call-State-Number', callStateNumber(callState)],
    ])
  }

  /** Parks the channel and sends the events of that. Applications run on top of the base application. */
  park(base: BaseApplication): void {
    this.situation.base = base
    // Clears the response of the previous application.
    this.variables.set('current_application_response', '_none_')
    this.fire('CHANNEL_EXECUTE', applicationHeaders(base, base.arg))
    this.fire('CHANNEL_PARK')
  }

  /** Ends the parked channel's base application. */
  unpark(): void {
    const { base } = this.situation
    if (base === undefined) return
    this.situation.base = undefined
    this.fire('CHANNEL_UNPARK')
    tellComplete(this, base, base.arg)
  }

  /** Hangs up. Safe to call several times; the first cause counts. */
  hangup(cause: HangupCause, by: 'us' | 'them'): void {
    if (this.isDown) return
    this.scheduledEnds.clear()
    this.progress.cause = cause
    this.progress.answerState = 'hangup'
    this.progress.hungUpAt = Date.now()
    this.fire('CHANNEL_HANGUP')
    this.variables.set('sip_hangup_disposition', by === 'us' ? 'send_bye' : 'recv_bye')
    if (by === 'us') this.leg.call.hangup([reasonHeader(cause)])
    this.#deps.onHangup(this)
    this.work.apps.end(by === 'us' ? 'hangup' : 'remote-hangup')
    void this.#finish()
  }

  fire(
    name: string,
    extra: Iterable<readonly [string, string]> = [],
    custom?: { readonly subclass: string; readonly body: string | undefined },
  ): void {
    this.#deps.bus.fire({
      name,
      channel: this.uuid,
      headers: () => this.headers(name, extra),
      subclass: custom?.subclass,
      body: custom?.body,
    })
  }

  *headers(
    name: string,
    extra: Iterable<readonly [string, string]> = [],
  ): Generator<readonly [string, string]> {
    yield* channelHeaders(this.describe())
    if (VERBOSE.has(name)) yield* this.variables.asHeaders()
    yield* extra
  }

  describe(): Described {
    const { uuid, profile, progress } = this
    const { partner } = this.situation
    const codec = this.variables.get('rtp_use_codec_name') ?? 'PCMU'
    const other =
      partner === undefined
        ? undefined
        : { ...partner.channel.#plain(), role: partner.role, partner: undefined }
    return { uuid, profile, progress, codec, partner: other }
  }

  async setMediaStats(): Promise<EndpointStats> {
    const stats = await this.leg.media.stats()
    this.variables.setAll(mediaStatsVariables(stats))
    return stats
  }

  #plain(): Omit<Described, 'partner'> {
    return { uuid: this.uuid, profile: this.profile, progress: this.progress, codec: 'PCMU' }
  }

  async #finish(): Promise<void> {
    const { log } = this.#deps
    if (!(await settlesWithin(this.work.apps.idle(), IDLE_LIMIT_MS)))
      log.error({ channel: this.uuid }, 'an application did not end with its channel')
    this.unpark()
    this.progress.state = 'CS_HANGUP'
    this.enterCallState('HANGUP')
    this.#deps.onDown(this)
    try {
      await this.work.recordings.stopAll()
      await this.work.forks.stopAll()
      this.variables.setAll(mediaStatsVariables(await this.leg.media.close()))
    } catch (err) {
      log.error({ err, channel: this.uuid }, 'could not close the media of a channel')
    }
    this.variables.setAll(endVariables(this))
    this.progress.state = 'CS_REPORTING'
    this.fire('CHANNEL_HANGUP_COMPLETE')
    this.fire('CHANNEL_DESTROY')
    this.progress.state = 'CS_DESTROY'
    this.#deps.onGone(this)
  }

  #makeWork(): ChannelWork {
    const { apps: applications, log } = this.#deps
    const digits = new DigitQueue({
      taker: () => apps.digitTaker,
      onTaken: (digit) => {
        this.#tellDigit(digit)
      },
    })
    const apps = new AppRunner({
      traits: (request) => applications.traits(request),
      refuse: ({ app, arg }) => {
        log.error(
          { app, arg, channel: this.uuid },
          'hung up a channel that executed an unknown application',
        )
        this.hangup('DESTINATION_OUT_OF_ORDER', 'us')
      },
      run: (request, frame) => applications.run(request, this, frame),
      onDigitsWanted: () => {
        digits.drain()
      },
    })
    const silence = new SilenceWatch(this.leg.media)
    const forks = new Forks({
      media: this.leg.media,
      log,
      tell: (event, body) => {
        const subclass = `mod_audio_fork::${event}`
        this.fire('CUSTOM', [], { subclass, body })
      },
      breakPlayback: () => {
        apps.break()
      },
    })
    return { apps, digits, recordings: this.#makeRecordings(), forks, silence }
  }

  #makeRecordings(): Recordings {
    return new Recordings({
      media: this.leg.media,
      log: this.#deps.log,
      onStarted: (path) => {
        this.fire('RECORD_START', [['Record-File-Path', path]])
      },
      onStopped: (path, { samples, reason }, channels) => {
        const cause = reason === 'failed' ? 'uri-failure' : 'success-maxtime'
        this.variables.setAll({
          record_file_size: String(44 + samples * 2 * channels),
          record_samples: String(samples),
          record_seconds: String(Math.floor(samples / 8000)),
          record_ms: String(Math.floor(samples / 8)),
          record_completion_cause: cause,
        })
        this.fire('RECORD_STOP', [
          ['Record-File-Path', path],
          ['Record-Completion-Cause', cause],
        ])
      },
    })
  }

  #tellDigit({ digit, durationMs, source }: Digit): void {
    const dialed = `${this.variables.get('digits_dialed') ?? ''}${digit}`
    if (dialed.length <= 1_000) this.variables.set('digits_dialed', dialed)
    this.fire('DTMF', [
      ['DTMF-Digit', digit],
      ['DTMF-Duration', String(Math.round(durationMs * 8))],
      ['DTMF-Source', source === 'rfc4733' ? 'RTP' : 'INBAND_AUDIO'],
    ])
  }
}

/** The scheduled hangups of a channel (`sched_hangup`). */
class ScheduledEnds {
  readonly #timers = new Set<NodeJS.Timeout>()

  add(afterMs: number, end: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      end()
    }, afterMs)
    this.#timers.add(timer)
  }

  /** Cancels all and returns their number. */
  clear(): number {
    const count = this.#timers.size
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    return count
  }
}

async function settlesWithin(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const isSettled = await Promise.race([work.then(() => true), limit])
  clearTimeout(timer)
  return isSettled
}
