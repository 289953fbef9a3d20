/** Resolves after `ms`; rejects with the signal's reason when aborted, and leaves no timer behind. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const sleep: Sleep = async (ms, signal) => {
  signal.throwIfAborted()
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
  signal.throwIfAborted()
}
