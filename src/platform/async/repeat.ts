import type { Logger } from '../log.js'

export interface RepeatedWork {
  /** The work as the log names it when it fails. */
  readonly name: string
  readonly log: Pick<Logger, 'error'>
  readonly everyMs: number
  readonly work: () => Promise<void>
}

/**
 * Does the work at intervals until disposed; the disposal waits for work under way. Work that is
 * slower than the interval is not joined by more of it. Work that rejects is logged and done again at
 * the next interval: it must not end the process.
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
