import { profileHeaders } from '../channel/channel-headers.js'
import { eventAsText } from '../events/switch-event.js'
import type { CommandHandler, Reply } from './command.js'

const NOT_FOUND: Reply = '-ERR command not found'
const NO_SESSION: Reply = '-ERR not controlling a session'

/** `connect`, the first command of an outbound connection: the reply is the channel itself. */
export const connect: CommandHandler = (client) => {
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

export const getvar: CommandHandler = ({ channel }, args) =>
  channel === undefined ? NOT_FOUND : (channel.variables.get(args.trim()) ?? '')

/** `linger [seconds]`: the time to stay when the channel has ended. */
export const linger: CommandHandler = (client, args) => {
  if (client.channel === undefined) return NO_SESSION
  const seconds = Number.parseInt(args, 10)
  client.lingerSeconds = Number.isNaN(seconds) ? -1 : Math.max(0, seconds)
  return client.lingerSeconds === -1
    ? '+OK will linger'
    : `+OK will linger ${client.lingerSeconds} seconds`
}

export const noLinger: CommandHandler = (client) => {
  if (client.channel === undefined) return NO_SESSION
  client.lingerSeconds = undefined
  return '+OK will not linger'
}

/** Serves `resume`: the channel is hung up when its controller disconnects, since no dialplan is left. */
export const resume: CommandHandler = ({ channel }) => {
  if (channel === undefined) return NOT_FOUND
  channel.variables.set('socket_resume', 'true')
  return '+OK'
}

export const divertEvents: CommandHandler = ({ channel }, args) => {
  if (channel === undefined) return '-ERR not controlling a session.'
  if (args.trim() === '') return '-ERR missing value.'
  return args.trim() === 'on' ? '+OK events diverted' : '+OK events not diverted'
}
