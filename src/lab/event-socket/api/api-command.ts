import type { Channel } from '../channel/channel.js'
import type { SwitchCore } from '../core/switch-core.js'
import { separate } from '../protocol/separate.js'

/** An `api` command. Returns the text for the client, with a line end where FreeSWITCH writes one. */
export type ApiCommand = (args: string, core: SwitchCore) => string | Promise<string>

export const NO_SUCH_CHANNEL = '-ERR No such channel!\n'
export const OK = '+OK\n'

/** Splits an argument into words without their quotes; the last of `limit` words contains the rest. */
export function splitWords(text: string, limit?: number): string[] {
  return separate(text, ' ', limit)
}

/** Makes a command that works on one channel; the first word is the channel's uuid. */
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
