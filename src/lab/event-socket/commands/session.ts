import { profileHeaders } from '../channel/channel-headers.js'
import { eventAsText } from '../protocol/switch-event.js'
import type { CommandHandler, Reply } from './command.js'

const NOT_FOUND: Reply = '-ERR command not found'
const NO_SESSION: Reply = '-ERR not controlling a session'

/** The first word of an outbound connection: the reply is the channel itself. */
export const connect: CommandHandler = (connection) => {
  const { channel } = connection.start
  if (channel === undefined) return NOT_FOUND
  const event = connection.core.bus.make({
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
  connection.write(eventAsText(event, { isEncoded: true }))
  return undefined
}

export const getvar: CommandHandler = ({ start }, args) =>
  start.channel === undefined ? NOT_FOUND : (start.channel.variables.get(args.trim()) ?? '')

/** `[seconds]`: how long to stay when the channel has ended. */
export const linger: CommandHandler = ({ start, state }, args) => {
  if (start.channel === undefined) return NO_SESSION
  const seconds = Number.parseInt(args, 10)
  state.lingerSeconds = Number.isNaN(seconds) ? -1 : Math.max(0, seconds)
  return state.lingerSeconds === -1
    ? '+OK will linger'
    : `+OK will linger ${state.lingerSeconds} seconds`
}

export const noLinger: CommandHandler = ({ start, state }) => {
  if (start.channel === undefined) return NO_SESSION
  state.lingerSeconds = undefined
  return '+OK will not linger'
}

/** The channel would go on in its dialplan after the connection; here it stays parked either way. */
export const resume: CommandHandler = ({ start }) => {
  if (start.channel === undefined) return NOT_FOUND
  start.channel.variables.set('socket_resume', 'true')
  return '+OK'
}

export const divertEvents: CommandHandler = ({ start }, args) => {
  if (start.channel === undefined) return '-ERR not controlling a session.'
  if (args.trim() === '') return '-ERR missing value.'
  return args.trim() === 'on' ? '+OK events diverted' : '+OK events not diverted'
}
