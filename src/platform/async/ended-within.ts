/** Resolves when the work has ended, well or not, or after the limit, whichever is first. */
export async function endedWithin(work: Promise<unknown>, limitMs: number): Promise<void> {
  let limit: NodeJS.Timeout | undefined
  const expired = new Promise<void>((resolve) => {
    limit = setTimeout(resolve, limitMs)
  })
  await Promise.race([Promise.allSettled([work]), expired])
  clearTimeout(limit)
}
