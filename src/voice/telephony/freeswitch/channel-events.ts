import { type ChannelEvent, eventsCommand, onlyChannelCommand } from './command-builder.js'
import type { EslConnection } from './drachtio-fsmrf.js'

/** The events that every channel needs. */
const NEEDED: readonly ChannelEvent[] = ['CHANNEL_EXECUTE_COMPLETE', 'DTMF']

/**
 * Asks a channel's connection for few events, in place of what drachtio-fsmrf asks for when it makes an
 * endpoint: ten kinds, most with 6 kB, and those of all channels until its filter comes behind them. An
 * operation that needs more asks for it. FreeSWITCH reads commands byte by byte and yields its processor
 * after each, so that on a busy machine a short command is a quick one.
 */
export function askForFewEvents(connection: EslConnection): void {
  connection.subscribe = () => undefined
  connection.filter = (_header, channel) => {
    const { socket } = connection
    socket?.cork()
    connection.send(onlyChannelCommand(channel).text)
    connection.send(eventsCommand(NEEDED).text)
    socket?.uncork()
  }
}
