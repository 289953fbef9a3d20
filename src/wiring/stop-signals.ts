/** The signals that have told the process to end: at once, or when its calls have ended. */
export interface StopSignals {
  /** Resolves at the first signal: SIGTERM lets calls finish, SIGINT (a person's Ctrl-C) does not. */
  readonly first: Promise<'drain' | 'at-once'>
  /** Aborts at the second signal. */
  readonly hurry: AbortSignal
}

/** Listens for SIGTERM and SIGINT. A third signal ends the process at once. */
export function listenForStopSignals(): StopSignals {
  const hurry = new AbortController()
  let count = 0
  const first = new Promise<'drain' | 'at-once'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        count += 1
        if (count === 1) resolve(signal === 'SIGTERM' ? 'drain' : 'at-once')
        else if (count === 2) hurry.abort()
        else process.exit(1)
      })
  })
  return { first, hurry: hurry.signal }
}
