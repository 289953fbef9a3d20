import type { Channel } from '../channel/channel.js'
import type { SwitchCore } from '../core/switch-core.js'
import { separate } from '../protocol/separate.js'

/**
 * An `api` command. It answers with the text that the client gets, with the line end where the
 * server writes one.
 */
export type ApiCommand = (args: string, core: SwitchCore) => string | Promise<string>

export const NO_SUCH_CHANNEL = '-ERR No such channel!\n'
export const OK = '+OK\n'

/** Splits an argument into words without their quotes; the last of `limit` words takes the rest. */
export function splitWords(text: string, limit?: number): string[] {
  return separate(text, ' ', limit)
}

/** Makes a command about one channel, which the first word names. */
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
