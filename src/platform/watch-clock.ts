import type { Clock } from './clock.js'
import type { Logger } from './log.js'

const LOOK_EVERY_MS = 5_000
/** The least jump that counts; time servers keep a clock right by smaller steps. */
const LEAST_JUMP_MS = 2_000

export interface WatchClockDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Called when the wall clock was set: forward when positive. */
  readonly onJump: (jumpMs: number) => Promise<void>
}

/** Tells when the wall clock is set, until disposed: stored times then mean another moment. */
export function watchClock({ clock, log, onJump }: WatchClockDeps): AsyncDisposable {
  const offset = () => clock.now() - clock.monotonic()
  let known = offset()
  let running: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    const jumpMs = Math.round(offset() - known)
    known += jumpMs
    if (Math.abs(jumpMs) < LEAST_JUMP_MS) return
    log.warn({ jumpMs }, 'the clock was set')
    running = running
      .then(() => onJump(jumpMs))
      .catch((err: unknown) => {
        log.error({ err, jumpMs }, 'could not follow the clock')
      })
  }, LOOK_EVERY_MS).unref()
  return {
    [Symbol.asyncDispose]: () => {
      clearInterval(timer)
      return running
    },
  }
}
