import { createProgram, runProgram } from '../../../../src/cli/trunkline/program.js'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs the command in this process, with an environment of its own. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const out: string[] = []
  const err: string[] = []
  const around = {
    env,
    print: (line: string) => out.push(line),
    complain: (line: string) => err.push(line),
    isColoured: false,
    interrupted: () => new AbortController().signal,
  }
  const code = await runProgram(createProgram(around), args, around)
  return { code, out: out.join('\n'), err: err.join('\n') }
}
