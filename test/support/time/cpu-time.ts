/**
 * What `work` costs this process, CPU ms: the least of `runs`. A collection of the whole heap may
 * fall into any one of them; it does not fall into each.
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
