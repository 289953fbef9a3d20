import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A process of the benchmark's own that answers each command with one report. */
export interface Child<Command, Report> extends AsyncDisposable {
  readonly pid: number
  ask(command: Command): Promise<Report>
}

/** Answers each command of the parent by one report. A failure ends this process, which the parent sees. */
export function answerCommands(handle: (command: never) => Promise<object>): void {
  process.on('message', (command) => {
    handle(command as never).then(
      (report) => process.send?.(report),
      (error: unknown) => {
        throw error
      },
    )
  })
}

/** Starts a child process; `file` is a module beside this one. */
export function startChild<Command extends object, Report>(file: string): Child<Command, Report> {
  const child: ChildProcess = fork(fileURLToPath(new URL(file, import.meta.url)), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return {
    pid: child.pid ?? 0,
    ask: (command) =>
      new Promise<Report>((resolve, reject) => {
        const onExit = (code: number | null) => {
          reject(new Error(`${file} ended with ${String(code)}`))
        }
        child.once('exit', onExit)
        // The module answers nothing else.
        child.once('message', (report) => {
          child.off('exit', onExit)
          resolve(report as Report)
        })
        child.send(command)
      }),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
