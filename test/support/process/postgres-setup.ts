import type { TestProject } from 'vitest/node'
import { type PostgresServer, startPostgres } from './postgres.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The run's own PostgreSQL server, or the reason why there is none. */
    readonly postgres: { readonly url: string } | { readonly reason: string }
  }
}

/**
 * Without a flush at each commit, which only a power cut would miss: the tests kill processes. The
 * connections are those of a few servers and test files at once.
 */
const SETTINGS = ['fsync=off', 'max_connections=200']

/** Starts one PostgreSQL server for the run when one of its projects needs it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let server: PostgresServer | undefined
  if (project.vitest.projects.some(({ name }) => name.endsWith('-postgres'))) {
    try {
      server = await startPostgres(SETTINGS)
      project.provide('postgres', { url: server.url('postgres') })
    } catch (error) {
      project.provide('postgres', {
        reason: error instanceof Error ? error.message : String(error),
      })
    }
  }
  return async () => {
    await server?.[Symbol.asyncDispose]()
  }
}
