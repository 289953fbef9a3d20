import type {
  Digit,
  Leg,
  LegChannel,
  LegEnd,
  LegEvents,
  SipStep,
} from '../../../src/voice/telephony/port.js'
import { waitUntil } from '../time/wait-until.js'

/** Records the events of a leg; fails if the leg reports its end twice. */
export class LegRecorder implements LegEvents {
  readonly progress: { readonly status: number; readonly hasEarlyMedia: boolean }[] = []
  readonly digits: Digit[] = []
  readonly steps: SipStep[] = []
  readonly channels: LegChannel[] = []
  readonly ends: LegEnd[] = []
  answers = 0

  onProgress(progress: { readonly status: number; readonly hasEarlyMedia: boolean }): void {
    this.progress.push(progress)
  }

  onAnswered(): void {
    this.answers += 1
  }

  /** Records the key presses of the leg; they come from the leg, not as events. */
  listenTo({ digits }: Leg): void {
    digits.subscribe((digit) => this.digits.push(digit))
  }

  onEnded(end: LegEnd): void {
    this.ends.push(end)
  }

  onSip(step: SipStep): void {
    this.steps.push(step)
  }

  onMedia(media: LegChannel): void {
    this.channels.push(media)
  }

  get end(): LegEnd | undefined {
    return this.ends[0]
  }

  /** The pressed digits in order, without separators. */
  get pressed(): string {
    return this.digits.map(({ digit }) => digit).join('')
  }

  async answered(limitMs?: number): Promise<void> {
    await waitUntil(
      'the leg is answered',
      () => this.answers > 0,
      limitMs,
      () => this.#seen(),
    )
  }

  async ended(limitMs?: number): Promise<LegEnd> {
    await waitUntil(
      'the leg ends',
      () => this.ends.length > 0,
      limitMs,
      () => this.#seen(),
    )
    const [end] = this.ends
    if (!end || this.ends.length > 1) throw new Error('ended more than once')
    return end
  }

  #seen(): unknown {
    return { steps: this.steps.map((step) => step.message), ends: this.ends }
  }
}
