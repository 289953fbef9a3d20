import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../../../dist/cli/trunkline.js', import.meta.url))

export interface CommandEnded {
  /** The exit code; null when a signal ended it. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A built `trunkline` command that runs. */
export interface RunningCommand {
  readonly process: ChildProcessWithoutNullStreams
  /** What it has written to standard error so far. */
  err(): string
  readonly ended: Promise<CommandEnded>
}

/** Starts the built command; `env` is all that it has beside the PATH. */
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
    // As the event has it.
    code: code as number | null,
    out,
    err,
  }))
  return { process: child, err: () => err, ended }
}

/** Runs the built command to its end. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandEnded> {
  return startCommand(args, env).ended
}
