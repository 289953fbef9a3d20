import { randomUUID, timingSafeEqual } from 'node:crypto'
import { API_COMMANDS } from '../api/api-table.js'
import type { Channel } from '../channel/channel.js'
import { profileHeaders } from '../channel/channel-headers.js'
import { isTrue } from '../channel/variables.js'
import type { SwitchCore } from '../core/switch-core.js'
import { eventName } from '../events/event-names.js'
import type { Subscription } from '../events/subscription.js'
import { eventAsText } from '../events/switch-event.js'
import type { CommandLogEntry } from '../model/command-log.js'
import { readHangupCause } from '../model/hangup-cause.js'
import type { Command } from '../protocol/command-reader.js'

const NOT_FOUND: Reply = '-ERR command not found'
const NO_SESSION: Reply = '-ERR not controlling a session'

/** The client that sent a command. */
export interface CommandClient {
  readonly core: SwitchCore
  readonly subscription: Subscription
  /** The connection's id, such as `inbound#1` or `outbound#2`. */
  readonly id: string
  /**
   * The secret that the client must send first; undefined for an outbound connection, which this server
   * opened.
   */
  readonly secret: string | undefined
  /** The channel that an outbound connection controls; undefined for an inbound one. */
  readonly channel: Channel | undefined
  isAuthenticated: boolean
  /** Seconds to stay connected after the channel's end, -1 for no limit; undefined closes at once. */
  lingerSeconds: number | undefined
  write(text: string): void
  /** Sends a disconnect notice and closes, after earlier replies and events were sent. */
  leave(): void
}

/** The text of `Reply-Text`, or complete header lines; undefined when the handler has already replied. */
type Reply = string | { readonly lines: string } | undefined

type CommandHandler = (
  client: CommandClient,
  args: string,
  command: Command,
) => Reply | Promise<Reply>

/** `event plain|json NAME… CUSTOM SUBCLASS…`. */
const event: CommandHandler = ({ subscription, core }, args) => {
  const [format = '', ...rest] = wordsOf(args)
  if (format === 'xml') {
    core.log.error('refused events as XML')
    return '-ERR xml is not supported'
  }
  const isFormat = format === 'plain' || format === 'json'
  if (isFormat) subscription.format = format
  const known = subscription.add(isFormat ? rest : wordsOf(args))
  if (known === 0) return '-ERR no keywords supplied'
  return `+OK event listener enabled ${subscription.format}`
}

const nixEvent: CommandHandler = ({ subscription }, args) =>
  subscription.remove(wordsOf(args)) === 0 ? '-ERR no keywords supplied' : '+OK events nixed'

const noEvents: CommandHandler = ({ subscription }) => {
  if (subscription.isEmpty) return '-ERR not listening for events'
  subscription.clear()
  return '+OK no longer listening for events'
}

/** `filter [add] HEADER VALUE`, `filter delete HEADER [VALUE]`, `filter delete all`. */
const filter: CommandHandler = ({ subscription }, args) => {
  const [first, rest] = splitOnce(args.trimStart())
  if (rest === undefined) return '-ERR invalid syntax'
  if (first.toLowerCase() === 'delete') return removeFilter(subscription, rest)
  const [header, value] = first.toLowerCase() === 'add' ? splitOnce(rest) : [first, rest]
  if (value === undefined) return '-ERR invalid syntax'
  if (!subscription.addFilter(header, value)) return '-ERR too many filters'
  return `+OK filter added. [${header}]=[${value}]`
}

/** `myevents [json]` on an outbound connection, `myevents UUID [json]` on an inbound one. */
const myEvents: CommandHandler = ({ subscription, channel }, args) => {
  if (subscription.isMyEvents) return '-ERR aready enabled.'
  const words = wordsOf(args)
  const uuid = channel?.uuid ?? words[0]
  if (uuid === undefined) return '-ERR command not found'
  if (words.includes('json')) subscription.format = 'json'
  subscription.addMyEvents(uuid)
  return '+OK Events Enabled'
}

/** `sendevent NAME` with headers and a body: the event is fired unchanged. */
const sendEvent: CommandHandler = ({ core }, args, command) => {
  const uuid = randomUUID()
  const name = eventName(args.trim()) ?? 'CUSTOM'
  const subclass = command.headers.get('event-subclass')
  core.bus.fire({
    name,
    subclass,
    body: command.body,
    headers: () => [...command.headers, ['Event-UUID', uuid]],
  })
  return `+OK ${uuid}`
}

/** `connect`, the first command of an outbound connection: replies with the channel's data. */
const connect: CommandHandler = (client) => {
  const { channel } = client
  if (channel === undefined) return NOT_FOUND
  const event = client.core.bus.make({
    name: 'CHANNEL_DATA',
    headers: () => [
      ...profileHeaders(channel.describe(), 'Channel'),
      ...channel.headers('CHANNEL_DATA'),
      ['Content-Type', 'command/reply'],
      ['Reply-Text', '+OK\n'],
      ['Socket-Mode', 'async'],
      ['Control', 'full'],
    ],
  })
  client.write(eventAsText(event, { isEncoded: true }))
  return undefined
}

const getvar: CommandHandler = ({ channel }, args) =>
  channel === undefined ? NOT_FOUND : (channel.variables.get(args.trim()) ?? '')

/** `linger [seconds]`: the time to stay connected after the channel has ended. */
const linger: CommandHandler = (client, args) => {
  if (client.channel === undefined) return NO_SESSION
  const seconds = Number.parseInt(args, 10)
  client.lingerSeconds = Number.isNaN(seconds) ? -1 : Math.max(0, seconds)
  return client.lingerSeconds === -1
    ? '+OK will linger'
    : `+OK will linger ${client.lingerSeconds} seconds`
}

const noLinger: CommandHandler = (client) => {
  if (client.channel === undefined) return NO_SESSION
  client.lingerSeconds = undefined
  return '+OK will not linger'
}

/**
 * `resume`: hangs up the channel when its controlling connection closes, because no dialplan follows here.
 */
const resume: CommandHandler = ({ channel }) => {
  if (channel === undefined) return NOT_FOUND
  channel.variables.set('socket_resume', 'true')
  return '+OK'
}

const divertEvents: CommandHandler = ({ channel }, args) => {
  if (channel === undefined) return '-ERR not controlling a session.'
  if (args.trim() === '') return '-ERR missing value.'
  return args.trim() === 'on' ? '+OK events diverted' : '+OK events not diverted'
}

const api: CommandHandler = async (client, args) => {
  if (args.trim() === '') return '-ERR command not found'
  const answer = await runApi(args, client.core)
  const text = answer === '' ? '-ERR no reply\n' : answer
  client.write(`Content-Type: api/response\nContent-Length: ${Buffer.byteLength(text)}\n\n${text}`)
  return undefined
}

/** `bgapi`: replies at once; the result is the body of a BACKGROUND_JOB event. */
const bgapi: CommandHandler = (client, args, command) => {
  const { core, channel } = client
  const job = command.headers.get('job-uuid') ?? randomUUID()
  void runApi(args, core).then((body) => {
    const [name = '', ...words] = args.trim().split(' ')
    core.bus.fire({
      name: 'BACKGROUND_JOB',
      body,
      headers: () => [
        ['Job-UUID', job],
        ...(channel === undefined ? [] : [['Job-Owner-UUID', channel.uuid] as const]),
        ['Job-Command', name],
        ...(words.length === 0 ? [] : [['Job-Command-Arg', words.join(' ')] as const]),
      ],
    })
  })
  return { lines: `Reply-Text: +OK Job-UUID: ${job}\nJob-UUID: ${job}\n` }
}

/**
 * `sendmsg [UUID]` with `call-command: execute` or `hangup`; the reply says only that the message was
 * accepted.
 */
const sendMessage: CommandHandler = ({ channel: own, core }, args, command) => {
  const named = args.trim() === '' ? command.headers.get('session-id') : args.trim()
  const isOwn = named === undefined || named === own?.uuid
  const channel = isOwn ? own : core.channels.get(named)
  if (channel === undefined) return `-ERR invalid session id [${named ?? ''}]`
  switch (command.headers.get('call-command')) {
    case 'execute':
      return execute(channel, command)
    case 'hangup':
      channel.hangup(readHangupCause(command.headers.get('hangup-cause') ?? ''), 'us')
      return '+OK'
    default:
      core.log.error(
        { headers: [...command.headers.keys()] },
        'refused a message without a known call-command',
      )
      return '-ERR call-command not supported'
  }
}

/** `log`: only replies; the lab sends no log lines. */
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

function removeFilter(subscription: Subscription, text: string): string {
  const [header, value] = splitOnce(text)
  subscription.removeFilters(header.toLowerCase() === 'all' ? undefined : header, value)
  return `+OK filter deleted. [${header}][${value ?? ''}]`
}

function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}

function splitOnce(text: string): [string, string | undefined] {
  const space = text.indexOf(' ')
  return space === -1 ? [text, undefined] : [text.slice(0, space), text.slice(space + 1)]
}

async function runApi(text: string, core: SwitchCore): Promise<string> {
  const [, name = '', args = ''] = /^\s*(\S+) ?(.*)$/s.exec(text) ?? []
  const run = API_COMMANDS.get(name)
  if (run === undefined) {
    core.log.error({ api: name }, 'unknown api command')
    return `-ERR ${name} Command not found!\n`
  }
  try {
    return await run(args, core)
  } catch (err) {
    core.log.error({ err, api: name }, 'an api command failed')
    return '-ERR internal error\n'
  }
}

function execute(channel: Channel, { headers, body }: Command): string {
  const app = headers.get('execute-app-name') ?? ''
  const isTextBody = headers.get('content-type') === 'text/plain'
  const arg = headers.get('execute-app-arg') ?? ''
  if (app === '') return '-ERR no application'
  const isTaken = channel.execute({
    app,
    arg: arg === '' && isTextBody ? (body ?? '') : arg,
    uuid: headers.get('event-uuid') ?? randomUUID(),
    isLocked: isTrue(headers.get('event-lock')),
  })
  // A message to a hung-up channel is accepted but has no effect.
  return isTaken || channel.isDown ? '+OK' : '-ERR memory error'
}

/** The commands that a client may send before authentication. */
const BEFORE_AUTH: ReadonlyMap<string, CommandHandler> = new Map<string, CommandHandler>([
  ['auth', authenticate],
  ['exit', exit],
])

/** Runs one command and replies; an unknown command is refused and logged. */
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
