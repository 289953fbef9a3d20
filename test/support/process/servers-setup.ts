import { readdirSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { tempFolder } from './temp-folder.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder with a file for each server that test files share, named by its process. */
    readonly servers: string
  }
}

/** Ends the servers that test files shared: those of a worker are ended by nobody when it ends. */
export default function setUp(project: TestProject): () => void {
  const folder = tempFolder()
  project.provide('servers', folder.path)
  return () => {
    for (const pid of readdirSync(folder.path)) end(Number(pid))
    folder[Symbol.dispose]()
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
