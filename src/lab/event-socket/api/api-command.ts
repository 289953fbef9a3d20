import type { Channel } from '../channel/channel.js'
import type { SwitchCore } from '../core/switch-core.js'
import { separate } from '../protocol/separate.js'

/** Answers with the text that the client gets, the line end included where the server writes one. */
export type ApiCommand = (args: string, core: SwitchCore) => string | Promise<string>

export const NO_SUCH_CHANNEL = '-ERR No such channel!\n'
export const OK = '+OK\n'

/** The words of an argument, quotes taken away; the last of `limit` takes the rest. */
export function splitWords(text: string, limit?: number): string[] {
  return separate(text, ' ', limit)
}

/** A command about one channel, which the first word names. */
export function onChannel(
  usage: string,
  run: (channel: Channel, rest: string, core: SwitchCore) => string | Promise<string>,
): ApiCommand {
  return (args, core) => {
    const [, uuid, rest = ''] = /^ *(\S+) *(.*)$/s.exec(args) ?? []
    if (uuid === undefined) return `-USAGE: ${usage}\n`
    const channel = core.channels.get(uuid)
    return channel === undefined ? NO_SUCH_CHANNEL : run(channel, rest, core)
  }
}
