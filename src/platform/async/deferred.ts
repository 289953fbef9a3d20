/** A promise that somebody else resolves. */
export interface Deferred {
  readonly done: Promise<void>
  readonly resolve: () => void
}

export function deferred(): Deferred {
  let settle: (() => void) | undefined
  const done = new Promise<void>((resolve) => {
    settle = resolve
  })
  return { done, resolve: () => settle?.() }
}

/** Resolves when the signal aborts, at once when it has. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve()
      },
      { once: true },
    )
  })
}
