import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** Addresses of a started server; it prints them as one line once it listens. */
export interface Listening {
  readonly http: string
  readonly admin: string
  /** SIP address of the lab, if it runs. */
  readonly sip: string | undefined
  /** Address of SIP over TLS; undefined without a certificate. */
  readonly sipTls: string | undefined
}

/** The server as a child process, as `npm start` would run it. */
export interface ServerChild extends AsyncDisposable {
  readonly listening: Listening
  readonly process: ChildProcess
  /** Returns the server's log so far, from its standard error. */
  log(): string
}

export const LISTENING_PREFIX = 'listening: '
const START_LIMIT_MS = 30_000
const STOP_LIMIT_MS = 10_000

const MAIN = new URL('../main.js', import.meta.url)

/** Starts the server; `main` is the built entry. Rejects with the server's output when it does not start. */
export async function startServer(
  env: Readonly<Record<string, string>>,
  main: URL = MAIN,
): Promise<ServerChild> {
  const child = spawn(process.execPath, ['--enable-source-maps', fileURLToPath(main)], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return await listeningServer(child)
}

/** Resolves once the process listens; rejects with its output when it does not start. */
export async function listeningServer(
  child: ChildProcess & { readonly stdout: Readable; readonly stderr: Readable },
): Promise<ServerChild> {
  let printed = ''
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
  })
  const listening = await new Promise<Listening>((resolve, reject) => {
    const limit = setTimeout(() => {
      reject(new Error(`the server did not start in ${START_LIMIT_MS / 1_000} s:\n${printed}`))
    }, START_LIMIT_MS)
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith(LISTENING_PREFIX)) return
      clearTimeout(limit)
      // written by our own server
      resolve(JSON.parse(line.slice(LISTENING_PREFIX.length)) as Listening)
    })
    child.once('exit', (code) => {
      clearTimeout(limit)
      reject(new Error(`the server ended with ${String(code)}:\n${printed}`))
    })
  }).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  return {
    listening,
    process: child,
    log: () => printed,
    [Symbol.asyncDispose]: () => stop(child),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await exited
  clearTimeout(limit)
}
