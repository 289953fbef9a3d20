import type { Logger } from '../log.js'

export interface RepeatedWork {
  /** Name of the work for the log. */
  readonly name: string
  readonly log: Pick<Logger, 'error'>
  readonly everyMs: number
  readonly work: () => Promise<void>
}

/**
 * Does the work at intervals until disposed; disposal waits for running work. Slow work never overlaps itself.
 * A rejection is logged, and the work runs again at the next interval.
 */
export function repeat({ name, log, everyMs, work }: RepeatedWork): AsyncDisposable {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= work()
      .catch((err: unknown) => {
        log.error({ err, work: name }, 'background work failed and is tried again')
      })
      .finally(() => {
        running = undefined
      })
  }, everyMs).unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await running
    },
  }
}
