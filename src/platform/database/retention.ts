/** Between looks for more. */
const EVERY_MS = 60_000
/** Between passes while there is more; the disk is for calls first. */
const BETWEEN_MS = 200

/**
 * Removes what is too old, a little at a time, until disposed. A pass says whether there may be more
 * and never rejects.
 */
export function startRetention(removeSome: () => Promise<boolean>): AsyncDisposable {
  let pass: Promise<void> = Promise.resolve()
  let isStopped = false
  const next = (ms: number) => setTimeout(begin, ms).unref()
  let timer = next(BETWEEN_MS)

  function begin(): void {
    pass = removeSome().then((isMore) => {
      if (!isStopped) timer = next(isMore ? BETWEEN_MS : EVERY_MS)
    })
  }

  return {
    [Symbol.asyncDispose]: () => {
      isStopped = true
      clearTimeout(timer)
      return pass
    },
  }
}
