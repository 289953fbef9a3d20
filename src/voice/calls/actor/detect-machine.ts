/**
 * Listens to an answered leg until it is known who answered. The audio comes by a fork of its own;
 * whatever goes wrong with it, the call goes on and the verdict is what was heard so far.
 */
import type { Logger } from '../../../platform/log.js'
import { type AnsweredBy, createDetector, type DetectorEvent } from '../../amd/amd.js'
import type { MachineDetectionPlan } from '../../model/call-plan.js'
import type { LegFork } from '../../telephony/leg-media.js'
import { type Leg, LegEndedError, type LegEvents } from '../../telephony/port.js'

export interface MachineVerdict {
  readonly answeredBy: AnsweredBy
  /** Milliseconds of audio from the answer to the verdict. */
  readonly durationMs: number
}

export interface DetectionListener {
  /** Once for each leg that was answered. */
  onVerdict(verdict: MachineVerdict): void
  onHeard(event: Exclude<DetectorEvent, { readonly type: 'verdict' }>): void
}

/** The fork has a name of its own: a customer's stream goes on beside it. */
const FORK_NAME = 'answering-machine'
const FRAME_SAMPLES = 160
const SAMPLES_PER_MS = 8
const TICK_MS = 200
/** A peer that sends nothing for so long is silent; what is only late comes sooner. */
const STALL_TICKS = 5

/** The leg's events, with a detection from its answer until the verdict, at its end at the latest. */
export function withDetection(
  events: LegEvents,
  leg: () => Leg,
  plan: MachineDetectionPlan,
  listener: DetectionListener,
  log: Logger,
): LegEvents {
  let detection: MachineDetection | undefined
  return {
    ...events,
    onAnswered: () => {
      events.onAnswered?.()
      detection ??= new MachineDetection(plan, listener, log)
      detection.listenTo(leg())
    },
    // Before the end itself, so that what is told of the end knows who answered.
    onEnded: (end) => {
      detection?.end()
      events.onEnded(end)
    },
  }
}

class MachineDetection {
  readonly #detector: ReturnType<typeof createDetector>
  readonly #listener: DetectionListener
  readonly #log: Logger
  readonly #frame = new Int16Array(FRAME_SAMPLES)
  #fork: LegFork | undefined
  #ticker: NodeJS.Timeout | undefined
  #quietTicks = 0

  constructor(plan: MachineDetectionPlan, listener: DetectionListener, log: Logger) {
    this.#detector = createDetector(plan)
    this.#listener = listener
    this.#log = log
  }

  listenTo(leg: Leg): void {
    this.#listen(leg).catch((err: unknown) => {
      if (!(err instanceof LegEndedError))
        this.#log.warn({ err, legId: leg.id }, 'who answered could not be listened to')
      this.end()
    })
  }

  /** The verdict is made of what was heard; once there is one, nothing happens. */
  end(): void {
    this.#report(this.#detector.end())
    this.#stop()
  }

  async #listen(leg: Leg): Promise<void> {
    const fork = await leg.media.fork(
      { name: FORK_NAME, hears: 'far-end', speaks: 'no' },
      {
        onAudio: (audio) => {
          this.#quietTicks = 0
          this.#hear(audio)
        },
        onEnded: () => {
          this.end()
        },
      },
    )
    this.#fork = fork
    if (this.#isOver) {
      await fork.stop()
      return
    }
    this.#ticker = setInterval(() => {
      this.#tick()
    }, TICK_MS)
  }

  get #isOver(): boolean {
    return this.#detector.answeredBy !== undefined
  }

  /** 16-bit little-endian samples. */
  #hear(audio: Buffer): void {
    for (let at = 0; at + 1 < audio.length && !this.#isOver; at += 2 * FRAME_SAMPLES) {
      const samples = Math.min(FRAME_SAMPLES, (audio.length - at) >> 1)
      for (let i = 0; i < samples; i++) this.#frame[i] = audio.readInt16LE(at + 2 * i)
      this.#push(samples === FRAME_SAMPLES ? this.#frame : this.#frame.subarray(0, samples))
    }
  }

  /** Time is audio to the detector: where none is sent, silence passes it. */
  #tick(): void {
    this.#quietTicks++
    if (this.#quietTicks < STALL_TICKS) return
    const missed = this.#quietTicks === STALL_TICKS ? STALL_TICKS : 1
    this.#push(new Int16Array(missed * TICK_MS * SAMPLES_PER_MS))
  }

  #push(samples: Int16Array): void {
    const events = this.#detector.push(samples)
    if (events.length === 0) return
    this.#report(events)
    if (this.#isOver) this.#stop()
  }

  #report(events: readonly DetectorEvent[]): void {
    for (const event of events) {
      if (event.type === 'verdict')
        this.#listener.onVerdict({ answeredBy: event.answeredBy, durationMs: event.atMs })
      else this.#listener.onHeard(event)
    }
  }

  #stop(): void {
    clearInterval(this.#ticker)
    this.#fork?.stop().catch((err: unknown) => {
      this.#log.warn({ err }, 'the fork of a detection could not be stopped')
    })
  }
}
