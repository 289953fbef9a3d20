import { readdirSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { tempFolder } from './temp-folder.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with a file per server that test files share, named by its process id. */
    readonly servers: string
  }
}

/** Ends shared servers after the run: a worker that is killed does not end its own. */
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
    // It has exited already.
  }
}
