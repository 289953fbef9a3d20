import { pause } from '../../src/platform/async/sleep.js'
import { type PlacedCall, SipCaller } from './caller/sip-caller.js'
import type { Figure } from './figure.js'
import { describePercentiles, percentilesOf } from './percentiles.js'

export interface LatencyPlan {
  readonly calls: number
  readonly lanes: number
}

interface Timed {
  readonly answerMs: number
  readonly firstAudioMs: number
  readonly silentAfterPressMs: number
  readonly silentAfterReleaseMs: number
}

const TICK_MS = 20
/** The time for which the prompt is heard before the key is pressed. */
const LISTEN_MS = 400
/** The length of silence after which the prompt is over. */
const SILENT_MS = 200
const LIMIT_MS = 3_000
const DIGIT = 5

/**
 * Calls a number that answers with a prompt and presses a key in it. Each call gives four times.
 */
export async function measureLatencies(
  sipPort: number,
  number: string,
  plan: LatencyPlan,
): Promise<readonly Figure[]> {
  const caller = await SipCaller.open(sipPort)
  const timed: Timed[] = []
  try {
    await timeCall(caller, number) // Warms caches and code; not counted.
    const lane = async () => {
      for (let call = 0; call < plan.calls / plan.lanes; call += 1)
        timed.push(await timeCall(caller, number))
    }
    await Promise.all(Array.from({ length: plan.lanes }, lane))
  } finally {
    caller.close()
  }
  return figuresOf(timed)
}

async function timeCall(caller: SipCaller, number: string): Promise<Timed> {
  const call = await caller.call(number)
  const clock = setInterval(() => call.phone.tick(), TICK_MS)
  try {
    return await listen(call)
  } finally {
    clearInterval(clock)
    await call.hangUp()
  }
}

async function listen({ phone, invitedAt, answeredAt }: PlacedCall): Promise<Timed> {
  await until('audio', () => phone.heardAt.firstLoud > 0)
  // Anywhere in a frame of the prompt, as people press.
  await pause(LISTEN_MS + Math.random() * TICK_MS)
  const key = phone.press(DIGIT)
  await until('the key to be released', () => key.releasedAt !== undefined)
  await until('silence', () => performance.now() - phone.heardAt.lastLoud > SILENT_MS)
  const { firstLoud, lastLoud } = phone.heardAt
  return {
    answerMs: answeredAt - invitedAt,
    firstAudioMs: firstLoud - answeredAt,
    silentAfterPressMs: lastLoud - (key.firstAt ?? Number.NaN),
    silentAfterReleaseMs: lastLoud - (key.releasedAt ?? Number.NaN),
  }
}

function figuresOf(timed: readonly Timed[]): readonly Figure[] {
  const figure = (
    name: string,
    key: keyof Timed,
    more: Pick<Figure, 'target' | 'limit'>,
    meaning: string,
  ): Figure => {
    const percentiles = percentilesOf(timed.map((each) => each[key]))
    const detail = `${describePercentiles(percentiles)}; ${meaning}`
    return { name, value: percentiles.p95, unit: 'ms', ...more, detail }
  }
  return [
    figure(
      'INVITE → 200 with the webhook, p95',
      'answerMs',
      { target: { atMost: 20 } },
      'the application answers at once on loopback',
    ),
    figure(
      'answer → first audio, p95',
      'firstAudioMs',
      { target: { atMost: 40 }, limit: '20 ms, one frame' },
      '200 received to the first packet that is not silence; the file is cached',
    ),
    figure(
      'key released → prompt silent, p95',
      'silentAfterReleaseMs',
      { target: { atMost: 40 }, limit: '20 ms, one frame' },
      'first RFC 4733 packet with the end bit to the last packet of the prompt',
    ),
    figure(
      'key pressed → prompt silent, p95',
      'silentAfterPressMs',
      {},
      'first RFC 4733 packet to the last of the prompt; the key is held 100 ms and counts when released',
    ),
  ]
}

async function until(what: string, isReached: () => boolean): Promise<void> {
  const end = performance.now() + LIMIT_MS
  while (!isReached()) {
    if (performance.now() > end)
      throw new Error(`a measured call waited ${LIMIT_MS} ms for ${what}`)
    await pause(5)
  }
}
