import type { Channel } from '../channel/channel.js'
import type { SwitchCore } from '../core/switch-core.js'
import type { Subscription } from '../events/subscription.js'
import type { Command } from '../protocol/command-reader.js'

/** The client that sent a command. */
export interface CommandClient {
  readonly core: SwitchCore
  readonly subscription: Subscription
  /** The connection's id, such as `inbound#1` or `outbound#2`. */
  readonly id: string
  /**
   * The secret that is asked for first; an outbound connection has none, since the server opened
   * it.
   */
  readonly secret: string | undefined
  /** The channel that an outbound connection controls. */
  readonly channel: Channel | undefined
  isAuthenticated: boolean
  /** The seconds to stay after the channel's end, -1 for ever; undefined closes at once. */
  lingerSeconds: number | undefined
  write(text: string): void
  /** Says goodbye and closes; earlier replies and events still arrive. */
  leave(): void
}

/**
 * The text of `Reply-Text`, or whole lines when there is more to say; undefined when the reply is
 * written already.
 */
export type Reply = string | { readonly lines: string } | undefined

export type CommandHandler = (
  client: CommandClient,
  args: string,
  command: Command,
) => Reply | Promise<Reply>
