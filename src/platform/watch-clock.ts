import type { Clock } from './clock.js'
import type { Logger } from './log.js'

const LOOK_EVERY_MS = 5_000
/** Minimum jump that is reported, ms; time servers correct a clock in smaller steps. */
const LEAST_JUMP_MS = 2_000

export interface WatchClockDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Called when the wall clock was changed; positive when it went forward. */
  readonly onJump: (jumpMs: number) => Promise<void>
}

/** Watches for changes of the wall clock until disposed; after one, stored times denote other moments. */
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
