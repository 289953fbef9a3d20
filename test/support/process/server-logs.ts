import { stripVTControlCharacters } from 'node:util'
import type { ServerChild } from '../../../src/cli/server-child.js'

/** The servers that this test file has started. */
const servers: Pick<ServerChild, 'log'>[] = []
const LAST_LINES = 40
const LINE_LENGTH = 400

/** Has the log of the server shown when a test of this file fails. */
export function noteServer(server: Pick<ServerChild, 'log'>): void {
  servers.push(server)
}

/** Forgets the servers of a file that is over. */
export function forgetServers(): void {
  servers.length = 0
}

/** The last lines of each noted server's log; undefined when there is none. */
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
