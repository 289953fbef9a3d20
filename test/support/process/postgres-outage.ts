import pg from 'pg'
import type { PostgresServer } from './postgres-server.js'
import { childrenOf } from './process-cpu.js'

/** Creates a database on the server; resolves with its URL. */
export async function databaseOn(server: PostgresServer): Promise<string> {
  const client = new pg.Client({ connectionString: server.url('postgres') })
  await client.connect()
  try {
    const name = `outage_${Math.random().toString(36).slice(2)}`
    await client.query(`create database ${name}`)
    return server.url(name)
  } finally {
    await client.end()
  }
}

/** Sends `kill -9` to the server and all its connections, like a machine crash. */
export function killServer(server: PostgresServer): void {
  for (const pid of [server.pid, ...childrenOf(server.pid)]) process.kill(pid, 'SIGKILL')
}

/** Suspends the server and all its connections, like a hanging machine; `go` resumes them. */
export function freezeServer(server: PostgresServer): { go(): void } {
  const frozen = [server.pid, ...childrenOf(server.pid)]
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  return {
    go: () => {
      for (const pid of frozen) process.kill(pid, 'SIGCONT')
    },
  }
}
