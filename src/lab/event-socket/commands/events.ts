import { randomUUID } from 'node:crypto'
import { eventName } from '../events/event-names.js'
import type { Subscription } from '../events/subscription.js'
import type { CommandHandler } from './command.js'

/** `event plain|json NAME… CUSTOM SUBCLASS…`. */
export const event: CommandHandler = ({ subscription, core }, args) => {
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

export const nixEvent: CommandHandler = ({ subscription }, args) =>
  subscription.remove(wordsOf(args)) === 0 ? '-ERR no keywords supplied' : '+OK events nixed'

export const noEvents: CommandHandler = ({ subscription }) => {
  if (subscription.isEmpty) return '-ERR not listening for events'
  subscription.clear()
  return '+OK no longer listening for events'
}

/** `filter [add] HEADER VALUE`, `filter delete HEADER [VALUE]`, `filter delete all`. */
export const filter: CommandHandler = ({ subscription }, args) => {
  const [first, rest] = splitOnce(args.trimStart())
  if (rest === undefined) return '-ERR invalid syntax'
  if (first.toLowerCase() === 'delete') return removeFilter(subscription, rest)
  const [header, value] = first.toLowerCase() === 'add' ? splitOnce(rest) : [first, rest]
  if (value === undefined) return '-ERR invalid syntax'
  if (!subscription.addFilter(header, value)) return '-ERR too many filters'
  return `+OK filter added. [${header}]=[${value}]`
}

function removeFilter(subscription: Subscription, text: string): string {
  const [header, value] = splitOnce(text)
  subscription.removeFilters(header.toLowerCase() === 'all' ? undefined : header, value)
  return `+OK filter deleted. [${header}][${value ?? ''}]`
}

/** `myevents [json]` on an outbound connection, `myevents UUID [json]` on an inbound one. */
export const myEvents: CommandHandler = ({ subscription, channel }, args) => {
  if (subscription.isMyEvents) return '-ERR aready enabled.'
  const words = wordsOf(args)
  const uuid = channel?.uuid ?? words[0]
  if (uuid === undefined) return '-ERR command not found'
  if (words.includes('json')) subscription.format = 'json'
  subscription.addMyEvents(uuid)
  return '+OK Events Enabled'
}

/** `sendevent NAME` with headers and a body: the event is fired unchanged. */
export const sendEvent: CommandHandler = ({ core }, args, command) => {
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

function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}

function splitOnce(text: string): [string, string | undefined] {
  const space = text.indexOf(' ')
  return space === -1 ? [text, undefined] : [text.slice(0, space), text.slice(space + 1)]
}
