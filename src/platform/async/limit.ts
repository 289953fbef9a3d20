/** Maximum delay of a timer, ms; a longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Settles as the work does, or with `onLimit()` when the work takes longer than `limitMs`. */
export async function withLimit<T>(
  work: Promise<T>,
  limitMs: number,
  onLimit: () => T,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, Math.min(limitMs, LONGEST_TIMER_MS), 'late')
  })
  try {
    return await Promise.race([work, limit.then(onLimit)])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves when the work has settled or the limit has passed, whichever is first. */
export async function endedWithin(work: Promise<unknown>, limitMs: number): Promise<void> {
  await withLimit<unknown>(Promise.allSettled([work]), limitMs, () => undefined)
}
