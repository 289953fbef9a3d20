import { timingSafeEqual } from 'node:crypto'
import type { CommandLogEntry } from '../model/command-log.js'
import type { Command } from '../protocol/command-reader.js'
import { api, bgapi } from './api.js'
import type { CommandClient, CommandHandler, Reply } from './command.js'
import { event, filter, myEvents, nixEvent, noEvents, sendEvent } from './events.js'
import { sendMessage } from './sendmsg.js'
import { connect, divertEvents, getvar, linger, noLinger, resume } from './session.js'

/** `log`: replies only, since there is no log to send here. */
const log: CommandHandler = (_connection, args) => `+OK log level ${args} [${args || '7'}]`
const noLog: CommandHandler = () => '+OK no longer logging'

const exit: CommandHandler = (client) => {
  replyTo(client, '+OK bye')
  client.leave()
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

/** The few commands that a client may send before it has given the secret. */
const BEFORE_AUTH: ReadonlyMap<string, CommandHandler> = new Map<string, CommandHandler>([
  ['auth', authenticate],
  ['exit', exit],
])

/** Runs one command and replies to it; an unknown command is refused and logged. */
export async function runCommand(client: CommandClient, command: Command): Promise<void> {
  const { core } = client
  const [verb = ''] = command.line.split(' ', 1)
  const name = verb.toLowerCase()
  const args = command.line.slice(verb.length + 1)
  core.commandLog.write(logEntry(client, command, name))
  const handler = (client.isAuthenticated ? COMMANDS : BEFORE_AUTH).get(name)
  if (handler === undefined) {
    core.log.error({ connection: client.id, command: name }, 'unknown event-socket command')
    replyTo(client, '-ERR command not found')
    return
  }
  replyTo(client, await handler(client, args, command))
}

function replyTo(client: CommandClient, reply: Reply): void {
  if (reply === undefined) return
  const lines = typeof reply === 'string' ? `Reply-Text: ${reply}\n` : reply.lines
  client.write(`Content-Type: command/reply\n${lines}\n`)
}

function authenticate(client: CommandClient, args: string): Reply {
  if (client.secret !== undefined && isSame(client.secret, args)) {
    client.isAuthenticated = true
    return '+OK accepted'
  }
  client.core.log.warn({ connection: client.id }, 'an event-socket client has the wrong password')
  replyTo(client, '-ERR invalid')
  client.leave()
  return undefined
}

function isSame(secret: string, given: string): boolean {
  const [a, b] = [Buffer.from(secret), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function logEntry({ id, channel }: CommandClient, command: Command, name: string): CommandLogEntry {
  return {
    kind: 'command',
    connection: id,
    channel: channel?.uuid,
    line: name === 'auth' ? 'auth ***' : command.line,
    headers: Object.fromEntries(command.headers),
    body: command.body,
  }
}
