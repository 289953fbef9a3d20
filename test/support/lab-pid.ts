import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** The lab's process: the only child of the server. */
export function labPid(parent: number): number {
  const isChild = (pid: string) => {
    try {
      return /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    } catch {
      return undefined // It ended while we looked.
    }
  }
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && isChild(name) === String(parent),
  )
  expect(children).toHaveLength(1)
  return Number(children[0])
}
