import { stripVTControlCharacters } from 'node:util'
import type { ServerChild } from '../../../src/cli/server-child.js'

/** Servers that this test file started. */
const servers: Pick<ServerChild, 'log'>[] = []
const LAST_LINES = 40
const LINE_LENGTH = 400

/** Registers a server whose log is shown when a test of this file fails. */
export function noteServer(server: Pick<ServerChild, 'log'>): void {
  servers.push(server)
}

/** Removes the servers of a finished file. */
export function forgetServers(): void {
  servers.length = 0
}

/** The last lines of each registered server's log; undefined without any. */
export function lastServerLogs(): string | undefined {
  const logs = servers.map((server) =>
    stripVTControlCharacters(server.log())
      .trimEnd()
      .split('\n')
      .slice(-LAST_LINES)
      .map((line) => line.slice(0, LINE_LENGTH))
      .join('\n'),
  )
  return logs.length === 0 ? undefined : logs.join('\n— the next server —\n')
}
