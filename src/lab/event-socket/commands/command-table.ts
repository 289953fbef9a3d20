import { timingSafeEqual } from 'node:crypto'
import type { CommandLogEntry } from '../command-log.js'
import type { EventSocketConnection } from '../connection.js'
import type { Command } from '../protocol/command-reader.js'
import { api, bgapi } from './api.js'
import type { CommandHandler, Reply } from './command.js'
import { event, filter, myEvents, nixEvent, noEvents, sendEvent } from './events.js'
import { sendMessage } from './sendmsg.js'
import { connect, divertEvents, getvar, linger, noLinger, resume } from './session.js'

/** Replies only: there is no log to send here. */
const log: CommandHandler = (_connection, args) => `+OK log level ${args} [${args || '7'}]`
const noLog: CommandHandler = () => '+OK no longer logging'

const exit: CommandHandler = (connection) => {
  replyTo(connection, '+OK bye')
  connection.leave()
  return undefined
}

const COMMANDS: ReadonlyMap<string, CommandHandler> = new Map<string, CommandHandler>([
  ['api', api],
  ['bgapi', bgapi],
  ['connect', connect],
  ['divert_events', divertEvents],
  ['event', event],
  ['exit', exit],
  ['filter', filter],
  ['getvar', getvar],
  ['linger', linger],
  ['log', log],
  ['myevents', myEvents],
  ['nixevent', nixEvent],
  ['noevents', noEvents],
  ['nolinger', noLinger],
  ['nolog', noLog],
  ['resume', resume],
  ['sendevent', sendEvent],
  ['sendmsg', sendMessage],
])

/** Before it has the secret a client may say little. */
const BEFORE_AUTH: ReadonlyMap<string, CommandHandler> = new Map<string, CommandHandler>([
  ['auth', authenticate],
  ['exit', exit],
])

/** Runs one command and replies to it; what nobody knows is said so, to the client and to the log. */
export async function runCommand(
  connection: EventSocketConnection,
  command: Command,
): Promise<void> {
  const { core, start, state } = connection
  const [verb = ''] = command.line.split(' ', 1)
  const name = verb.toLowerCase()
  const args = command.line.slice(verb.length + 1)
  core.commandLog.write(logEntry(connection, command, name))
  const handler = (state.isAuthenticated ? COMMANDS : BEFORE_AUTH).get(name)
  if (handler === undefined) {
    core.log.error({ connection: start.id, command: name }, 'unknown event-socket command')
    replyTo(connection, '-ERR command not found')
    return
  }
  replyTo(connection, await handler(connection, args, command))
}

function replyTo(connection: EventSocketConnection, reply: Reply): void {
  if (reply === undefined) return
  const lines = typeof reply === 'string' ? `Reply-Text: ${reply}\n` : reply.lines
  connection.write(`Content-Type: command/reply\n${lines}\n`)
}

function authenticate(connection: EventSocketConnection, args: string): Reply {
  const { start, state, core } = connection
  if (start.secret !== undefined && isSame(start.secret, args)) {
    state.isAuthenticated = true
    return '+OK accepted'
  }
  core.log.warn({ connection: start.id }, 'an event-socket client has the wrong password')
  replyTo(connection, '-ERR invalid')
  connection.leave()
  return undefined
}

function isSame(secret: string, given: string): boolean {
  const [a, b] = [Buffer.from(secret), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function logEntry(
  { start }: EventSocketConnection,
  command: Command,
  name: string,
): CommandLogEntry {
  return {
    kind: 'command',
    connection: start.id,
    ...(start.channel === undefined ? {} : { channel: start.channel.uuid }),
    line: name === 'auth' ? 'auth ***' : command.line,
    headers: Object.fromEntries(command.headers),
    ...(command.body === undefined ? {} : { body: command.body }),
  }
}
