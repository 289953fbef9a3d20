/**
 * Minimum CPU time of `work` over `runs` runs, ms. Garbage collection may fall into some of the runs, but not
 * into all.
 */
export function leastCpuMs(work: () => void, runs = 3): number {
  const costs = Array.from({ length: runs }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...costs)
}
