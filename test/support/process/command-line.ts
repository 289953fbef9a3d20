import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { RunningTrunkline } from './trunkline.js'

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

/** Runs the built command as the server's first account; resolves with its output, and rejects when it fails. */
export async function accountCommand(
  { http, account }: Pick<RunningTrunkline, 'http' | 'account'>,
  ...args: readonly string[]
): Promise<string> {
  const { code, out, err } = await runCommand(args, {
    PUBLIC_URL: http,
    FIRST_ACCOUNT_SID: account.sid,
    FIRST_ACCOUNT_TOKEN: account.secret,
  })
  if (code !== 0 || err !== '') throw new Error(`trunkline ${args.join(' ')} (${code}): ${err}`)
  return out
}
