import { pause } from '../../platform/async/sleep.js'
import { AdapterError } from '../../platform/errors.js'
import type { Logger } from '../../platform/log.js'

const FIRST_DELAY_MS = 100
/** Maximum delay between attempts, ms: a returned server is used again within this time plus a login. */
const LONGEST_DELAY_MS = 2_000

/** Returns the delay before the next attempt, after `failures` failed attempts in a row. */
export function reconnectDelayMs(failures: number): number {
  return Math.min(LONGEST_DELAY_MS, Math.round(FIRST_DELAY_MS * 1.7 ** Math.max(0, failures - 1)))
}

/** Explains a missing connection. `fault` is stable, so each fault is logged once. */
export class ConnectFault extends AdapterError {
  override readonly name = 'ConnectFault'
  readonly fault: 'wrong-secret' | 'unreachable' | 'not-ready' | 'refused'

  constructor(fault: ConnectFault['fault'], message: string, cause?: unknown) {
    super(message, { cause, isRetryable: true })
    this.fault = fault
  }
}

export interface Connected {
  /** Resolves when the connection is gone. */
  readonly lost: Promise<void>
}

export interface KeepConnected<C extends Connected> {
  readonly connect: (signal: AbortSignal) => Promise<C>
  readonly onUp: (connection: C) => void
  /** Called after each loss, and with its fault after each failed attempt. */
  readonly onDown: (fault?: ConnectFault) => void
  readonly signal: AbortSignal
  readonly log: Logger
}

/** Connects, and reconnects after each loss, until the signal aborts. Resolves then; never rejects. */
export async function keepConnected<C extends Connected>(options: KeepConnected<C>): Promise<void> {
  const { signal, log } = options
  let failures = 0
  let reported: string | undefined
  let last: ConnectFault | undefined
  const isStopped = () => signal.aborted
  while (!isStopped()) {
    try {
      const connection = await options.connect(signal)
      failures = 0
      reported = undefined
      last = undefined
      log.info('connected')
      options.onUp(connection)
      await connection.lost
      if (isStopped()) return
      log.warn('connection lost')
    } catch (err) {
      if (isStopped()) return
      last = err instanceof ConnectFault ? err : undefined
      const fault = last?.fault ?? 'not-ready'
      if (fault !== reported) log.error({ err, fault }, 'could not connect; retrying')
      log.debug({ failures: failures + 1 }, 'connection attempt failed')
      reported = fault
    }
    failures += 1
    options.onDown(last)
    await pause(reconnectDelayMs(failures), signal)
  }
}
