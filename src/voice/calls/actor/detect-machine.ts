/**
 * Answering machine detection: analyses a fork of an answered leg until the verdict, or until the verdict can
 * no longer be corrected. A failure of the fork does not affect the call; the verdict then uses the audio
 * received so far.
 */
import type { Logger } from '../../../platform/log.js'
import { type AnsweredBy, type DetectorEvent, isLastEvent } from '../../amd/amd.js'
import type { Detection, Detections } from '../../detection/detections.js'
import type { MachineDetectionPlan } from '../../model/call-plan.js'
import type { LegFork } from '../../telephony/leg-media.js'
import { type Leg, LegEndedError, type LegEvents } from '../../telephony/port.js'

export interface MachineVerdict {
  readonly answeredBy: AnsweredBy
  /** Milliseconds of audio from the answer to the verdict. */
  readonly durationMs: number
}

export interface DetectionListener {
  /** Called once for each answered leg. */
  onVerdict(verdict: MachineVerdict): void
  /** Called at most once, after the verdict `human`, when that was wrong. */
  onCorrection(verdict: MachineVerdict): void
  onHeard(event: Exclude<DetectorEvent, { readonly type: 'verdict' | 'correction' }>): void
}

export interface DetectionDeps {
  readonly detections: Detections
  readonly log: Logger
}

/** A distinct fork name, so that a customer's stream on the same leg is unaffected. */
const FORK_NAME = 'answering-machine'
const FRAME_SAMPLES = 160
const SAMPLES_PER_MS = 8
const TICK_MS = 200
/**
 * Number of ticks without audio after which a peer counts as silent; audio that is merely late arrives
 * sooner.
 */
const STALL_TICKS = 5

/**
 * Adds a detection to the events of a leg. It runs from the answer to the detector's last event, or to the
 * leg's end.
 */
export function withDetection(
  events: LegEvents,
  leg: () => Leg,
  plan: MachineDetectionPlan,
  listener: DetectionListener,
  { detections, log }: DetectionDeps,
): LegEvents {
  let detection: MachineDetection | undefined
  return {
    ...events,
    onAnswered: () => {
      events.onAnswered?.()
      detection ??= new MachineDetection(plan, listener, { detections, log })
      detection.listenTo(leg())
    },
    // Before the end itself, so that the last callback can contain the verdict.
    onEnded: (end) => {
      detection?.end()
      events.onEnded(end)
    },
  }
}

class MachineDetection {
  readonly #detection: Detection
  readonly #plan: MachineDetectionPlan
  readonly #listener: DetectionListener
  readonly #log: Logger
  readonly #frame = new Int16Array(FRAME_SAMPLES)
  #fork: LegFork | undefined
  #isOver = false
  #ticker: NodeJS.Timeout | undefined
  #quietTicks = 0

  constructor(
    plan: MachineDetectionPlan,
    listener: DetectionListener,
    { detections, log }: DetectionDeps,
  ) {
    this.#detection = detections.open(plan, (events) => {
      this.#report(events)
      if (this.#isOver) this.#stop()
    })
    this.#plan = plan
    this.#listener = listener
    this.#log = log
  }

  listenTo(leg: Leg): void {
    this.#listen(leg).catch((err: unknown) => {
      if (!(err instanceof LegEndedError))
        this.#log.warn(
          { err, legId: leg.id },
          'could not fork the audio for answering machine detection',
        )
      this.end()
    })
  }

  /** Reports a verdict from the audio received so far, unless there is one, and stops listening. */
  end(): void {
    this.#report(this.#detection.end())
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

  /** Receives 16-bit little-endian samples. */
  #hear(audio: Buffer): void {
    for (let at = 0; at + 1 < audio.length && !this.#isOver; at += 2 * FRAME_SAMPLES) {
      const samples = Math.min(FRAME_SAMPLES, (audio.length - at) >> 1)
      for (let i = 0; i < samples; i++) this.#frame[i] = audio.readInt16LE(at + 2 * i)
      this.#detection.push(
        samples === FRAME_SAMPLES ? this.#frame : this.#frame.subarray(0, samples),
      )
    }
  }

  /** Feeds silence to the detector while no audio arrives, since audio is its clock. */
  #tick(): void {
    this.#quietTicks++
    if (this.#quietTicks < STALL_TICKS) return
    const missed = this.#quietTicks === STALL_TICKS ? STALL_TICKS : 1
    this.#detection.push(new Int16Array(missed * TICK_MS * SAMPLES_PER_MS))
  }

  #report(events: readonly DetectorEvent[]): void {
    for (const event of events) {
      this.#isOver ||= isLastEvent(event, this.#plan)
      if (event.type === 'verdict') this.#listener.onVerdict(verdictOf(event))
      else if (event.type === 'correction') this.#listener.onCorrection(verdictOf(event))
      else this.#listener.onHeard(event)
    }
  }

  #stop(): void {
    clearInterval(this.#ticker)
    this.#fork?.stop().catch((err: unknown) => {
      this.#log.warn({ err }, 'could not stop the fork of answering machine detection')
    })
  }
}

function verdictOf({
  answeredBy,
  atMs,
}: Extract<DetectorEvent, { readonly answeredBy: AnsweredBy }>): MachineVerdict {
  return { answeredBy, durationMs: atMs }
}
