import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import type { Logger } from '../../../platform/log.js'

/** One line of the command log: a command that a client sent, or an expansion that it caused. */
export type CommandLogEntry =
  | {
      readonly kind: 'command'
      /** The connection, such as `inbound#1` or `outbound#2`. */
      readonly connection: string
      /** The channel that an outbound connection controls. */
      readonly channel: string | undefined
      /** The command as it was received, without its password. */
      readonly line: string
      readonly headers: Readonly<Record<string, string>>
      readonly body: string | undefined
    }
  | {
      /** An expansion of `${…}` in an argument; `refused` when it named a command. */
      readonly kind: 'expansion'
      readonly channel: string
      readonly expression: string
      readonly outcome: 'variable' | 'refused'
    }

export interface CommandLog extends AsyncDisposable {
  write(entry: CommandLogEntry): void
}

export interface CommandLogOptions {
  /** The file that gets one JSON object per line; undefined for no file. */
  readonly file: string | undefined
  readonly onCommand: ((entry: CommandLogEntry) => void) | undefined
  readonly log: Logger
}

/** Opens a command log. The hook is called at once; the file is complete once the log is disposed. */
export function openCommandLog({ file, onCommand, log }: CommandLogOptions): CommandLog {
  const stream = file === undefined ? undefined : createWriteStream(file, { flags: 'a' })
  stream?.on('error', (err) => {
    log.error({ err, file }, 'the command log cannot be written')
  })
  return {
    write(entry) {
      onCommand?.(entry)
      stream?.write(`${JSON.stringify({ at: Date.now(), ...entry })}\n`)
    },
    async [Symbol.asyncDispose]() {
      if (stream !== undefined) await close(stream)
    },
  }
}

async function close(stream: WriteStream): Promise<void> {
  if (stream.closed) return
  const closed = once(stream, 'close')
  stream.end()
  await closed
}
