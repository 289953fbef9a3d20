import type { EventSocketConnection } from '../connection.js'
import type { Command } from '../protocol/command-reader.js'

/** The text of `Reply-Text`, or whole lines when there is more to say; undefined when all is said. */
export type Reply = string | { readonly lines: string } | undefined

export type CommandHandler = (
  connection: EventSocketConnection,
  args: string,
  command: Command,
) => Reply | Promise<Reply>
