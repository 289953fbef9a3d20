import { spawnSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'

export interface Environment {
  readonly at: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly kernel: string
  readonly node: string
  readonly sipp: string
  /** The load averages of the last 1, 5 and 15 minutes, taken before the first measurement. */
  readonly load: readonly number[]
}

export class SippMissingError extends Error {
  override readonly name = 'SippMissingError'
}

export function readEnvironment(): Environment {
  const processors = cpus()
  return {
    at: new Date().toISOString(),
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    sipp: sippVersion(),
    load: loadavg().map((load) => Number(load.toFixed(2))),
  }
}

export function describeEnvironment(environment: Environment): string {
  const { cpu, cores, memoryGb, kernel, node, sipp, load } = environment
  const busy =
    (load[0] ?? 0) > cores / 4
      ? '\nThe machine was not idle: other work makes every figure worse and uneven.'
      : ''
  return `${cpu}, ${cores} cores, ${memoryGb} GB, Linux ${kernel}, Node ${node}, ${sipp}
load average at start ${load.join(' ')}${busy}`
}

function sippVersion(): string {
  const done = spawnSync('sipp', ['-v'], { encoding: 'utf8' })
  if (done.error !== undefined) {
    throw new SippMissingError(
      'the benchmark calls with sipp, which is not installed. On Debian and Ubuntu: sudo apt-get install sip-tester',
    )
  }
  return /SIPp v[\d.]+/.exec(done.stdout)?.[0] ?? 'SIPp'
}
