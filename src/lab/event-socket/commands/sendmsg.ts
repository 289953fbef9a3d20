import { randomUUID } from 'node:crypto'
import type { Channel } from '../channel/channel.js'
import { isTrue } from '../channel/variables.js'
import { readHangupCause } from '../model/hangup-cause.js'
import type { Command } from '../protocol/command-reader.js'
import type { CommandHandler } from './command.js'

/**
 * `sendmsg [UUID]` with `call-command: execute` or `hangup`; the reply says only that the message
 * was taken.
 */
export const sendMessage: CommandHandler = ({ channel: own, core }, args, command) => {
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
  // To a channel that is hung up a message can still be sent; nothing comes of it.
  return isTaken || channel.isDown ? '+OK' : '-ERR memory error'
}
