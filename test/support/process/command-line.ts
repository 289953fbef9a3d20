import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../../../dist/cli/trunkline.js', import.meta.url))

export interface CommandEnded {
  /** Exit code; null when a signal ended the process. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A running built `trunkline` command. */
export interface RunningCommand {
  readonly process: ChildProcessWithoutNullStreams
  /** Standard error so far. */
  err(): string
  readonly ended: Promise<CommandEnded>
}

/** Starts the built command; `env` is its whole environment except PATH. */
export function startCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): RunningCommand {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { PATH: process.env['PATH'], ...env },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8')
  })
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString('utf8')
  })
  const ended = once(child, 'close').then(([code]: unknown[]) => ({
    // The event's type.
    code: code as number | null,
    out,
    err,
  }))
  return { process: child, err: () => err, ended }
}

/** Runs the built command to completion. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandEnded> {
  return startCommand(args, env).ended
}
