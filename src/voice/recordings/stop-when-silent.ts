import type { Logger } from '../../platform/log.js'
import { type Leg, LegEndedError } from '../telephony/port.js'
import { createSilenceMeter } from './silence-meter.js'

/** A recording that can be stopped, and settles when it has ended. */
interface Stoppable {
  readonly record: { readonly sid: string; readonly callSid: string }
  readonly finished: Promise<unknown>
  stop(): Promise<unknown>
}

/** The name of the fork, which differs from those of streams and of machine detection. */
const FORK_NAME = 'recording-silence'
const TICK_MS = 200
/** The ticks without a packet that count as silence; late packets come sooner. */
const STALL_TICKS = 5

/**
 * Stops the recording after the far end of the leg has been silent for the given time, and releases
 * the leg's audio when the recording ends. Without that audio the recording continues.
 */
export async function stopWhenSilent(
  recording: Stoppable,
  leg: Leg,
  silenceMs: number,
  log: Logger,
): Promise<void> {
  const meter = createSilenceMeter()
  let quietTicks = 0
  const check = (): void => {
    if (meter.silentMs >= silenceMs) void recording.stop()
  }
  try {
    const fork = await leg.media.fork(
      { name: FORK_NAME, hears: 'far-end', speaks: 'no' },
      {
        onAudio: (audio) => {
          quietTicks = 0
          meter.hear(audio)
          check()
        },
        onEnded: () => undefined, // the ticker goes on: who is not heard any more is silent
      },
    )
    const ticker = setInterval(() => {
      quietTicks += 1
      if (quietTicks < STALL_TICKS) return
      meter.pass(quietTicks === STALL_TICKS ? STALL_TICKS * TICK_MS : TICK_MS)
      check()
    }, TICK_MS)
    await recording.finished
    clearInterval(ticker)
    await fork.stop()
  } catch (err) {
    if (err instanceof LegEndedError) return
    const { sid: recordingSid, callSid } = recording.record
    log.warn(
      { err, recordingSid, callSid },
      'silence does not stop a recording: the fork of its leg failed',
    )
  }
}
