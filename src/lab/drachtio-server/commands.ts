/** Carries out the commands of the control protocol. */
import type { ServerParts } from './call-table.js'
import type { ClientMessage } from './client-message.js'
import type { Client } from './clients.js'
import { CommandRefused, valueOf } from './compose.js'
import { sendInside } from './inside-requests.js'
import { type Command, sendCancel, sendOutside } from './outside-requests.js'
import { sendResponse } from './responses.js'
import { notSent, ok } from './wire.js'

/**
 * The command is not understood: the client is told so and its connection is closed, as by real
 * servers.
 */
export class CommandUnknown extends Error {
  override readonly name = 'CommandUnknown'
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Carries out any command but `authenticate`; throws CommandUnknown. */
export async function perform(
  parts: ServerParts,
  client: Client,
  message: ClientMessage,
): Promise<void> {
  const [first = ''] = message.tokens
  switch (message.command) {
    case 'ping':
      client.send(ok(message.id, 'pong'))
      break
    case 'route':
      if (!parts.clients.addRoute(client, first))
        throw new CommandUnknown('Route request includes unsupported verb')
      client.send(ok(message.id))
      break
    case 'remove_route':
      if (!parts.clients.removeRoute(client, first))
        throw new CommandUnknown('Remove route request includes unsupported verb')
      client.send(ok(message.id))
      break
    case 'sip':
      await performSip(parts, client, message)
      break
    default:
      throw new CommandUnknown('Unknown message type')
  }
}

async function performSip(
  parts: ServerParts,
  client: Client,
  { id, tokens, sip }: ClientMessage,
): Promise<void> {
  const [transactionId = '', dialogId = '', proxy = ''] = tokens
  if (sip === undefined) throw new CommandUnknown('Invalid message format')
  try {
    await dispatch(parts, { client, messageId: id, sip }, { transactionId, dialogId, proxy })
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error
    parts.log.info(
      { reason: error.reason, startLine: sip.startLine },
      'refused to send a SIP message',
    )
    client.send(notSent(id, error.reason))
  }
}

async function dispatch(
  parts: ServerParts,
  command: Command,
  to: { readonly transactionId: string; readonly dialogId: string; readonly proxy: string },
): Promise<void> {
  const { startLine, headers } = command.sip
  if (startLine.startsWith('SIP/')) {
    if (to.transactionId === '') throw new CommandUnknown('transaction id missing')
    sendResponse(parts, command, to.transactionId)
  } else if (to.dialogId !== '') await sendInside(parts, command, to.dialogId)
  else if (to.transactionId !== '') {
    if (!startLine.startsWith('CANCEL ')) throw new CommandUnknown('only CANCEL has a transaction')
    sendCancel(parts, command, to.transactionId)
  } else {
    // A Call-ID that is known means its dialog, without naming it.
    const known = parts.calls.dialogByCallId(valueOf(headers, 'Call-ID') ?? '')
    if (known === undefined) await sendOutside(parts, command, to.proxy || undefined)
    else await sendInside(parts, command, known.id)
  }
}
