/** Settles as `work` does, or rejects with the signal's reason as soon as it fires. */
export function withAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(reasonOf(signal))
    }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort)
    })
  })
}

/** Returns a signal's abort reason as an Error, since a reason may be anything. */
export function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  return reason instanceof Error ? reason : new Error(String(reason))
}

/** Resolves when the signal aborts, at once when it has aborted already. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const onAbort = (): void => {
      resolve()
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** A signal that fires with any of its sources or at its own time limit. Dispose it when the work is over. */
export interface AbortLink extends Disposable {
  readonly signal: AbortSignal
  /** Fires this signal, but none of its sources. */
  readonly abort: (reason: Error) => void
  /** True when the time limit fired the signal. */
  readonly isLate: boolean
}

/**
 * Links signals. `AbortSignal.any` is not usable on Node 20: its result lets an
 * `AbortSignal.timeout` be collected, which then never fires, and it keeps every link to a
 * long-lived source.
 */
export function linkAbort(
  sources: readonly AbortSignal[],
  limit?: { readonly ms: number; readonly reason: () => Error },
): AbortLink {
  const controller = new AbortController()
  let isLate = false
  const undo: (() => void)[] = []
  for (const source of sources) {
    const onAbort = (): void => {
      controller.abort(source.reason)
    }
    if (source.aborted) onAbort()
    source.addEventListener('abort', onAbort, { once: true })
    undo.push(() => {
      source.removeEventListener('abort', onAbort)
    })
  }
  if (limit !== undefined) {
    const timer = setTimeout(() => {
      isLate = !controller.signal.aborted
      controller.abort(limit.reason())
    }, limit.ms)
    undo.push(() => {
      clearTimeout(timer)
    })
  }
  return {
    signal: controller.signal,
    abort: (reason) => {
      controller.abort(reason)
    },
    get isLate() {
      return isLate
    },
    [Symbol.dispose]: () => {
      for (const step of undo.splice(0)) step()
    },
  }
}
