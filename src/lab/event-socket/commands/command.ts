import type { Channel } from '../channel/channel.js'
import type { SwitchCore } from '../core/switch-core.js'
import type { Subscription } from '../events/subscription.js'
import type { Command } from '../protocol/command-reader.js'

/** The client that sent a command. */
export interface CommandClient {
  readonly core: SwitchCore
  readonly subscription: Subscription
  /** `inbound#1`, `outbound#2`. */
  readonly id: string
  /** Asked for first; an outbound connection is trusted, since the server opened it. */
  readonly secret: string | undefined
  /** The channel that an outbound connection controls. */
  readonly channel: Channel | undefined
  isAuthenticated: boolean
  /** Seconds to stay after the channel's end, -1 for ever. */
  lingerSeconds: number | undefined
  write(text: string): void
  /** Says goodbye and closes; what was written before still arrives. */
  leave(): void
}

/** The text of `Reply-Text`, or whole lines when there is more to say; undefined when all is said. */
export type Reply = string | { readonly lines: string } | undefined

export type CommandHandler = (
  client: CommandClient,
  args: string,
  command: Command,
) => Reply | Promise<Reply>
