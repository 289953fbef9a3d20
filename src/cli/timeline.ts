/**
 * `npm run timeline -- CALLSID`: tells why a call did what it did, from the event log of a running
 * server.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, readConfig } from '../config.js'
import type { CallEvent } from './call-events.js'
import {
  eventReader,
  fetchCall,
  fetchChildren,
  type Server,
  ServerRefusedError,
  type ShownCall,
} from './timeline/call-api.js'
import { timelineLine } from './timeline-line.js'

const HELP = `npm run timeline -- CALLSID [--follow] [--url URL]

Prints the event log of a call and of the calls that it dialled: SIP messages, webhooks, verbs,
digits, warnings, callbacks, with the seconds since the first event.

  --follow    keep printing until the call is over and its events have come
  --url URL   the server; else PUBLIC_URL, else HTTP_HOST and HTTP_PORT
  --help      this text

The account is FIRST_ACCOUNT_SID with FIRST_ACCOUNT_TOKEN, else that of DATA_DIR/first-account.json.
Exit code: 0 printed, 1 the call or the server is not there, 2 wrong usage.`

const EXIT_REFUSED = 1
const EXIT_USAGE = 2
const POLL_MS = 500
/**
 * The number of looks that bring nothing new after which the log is over: callbacks and the end of
 * the log come a little after the call's end.
 */
const QUIET_POLLS = 4
const FINAL = new Set(['completed', 'busy', 'failed', 'no-answer', 'canceled'])

class UsageError extends Error {
  override readonly name = 'UsageError'
}

interface Wanted {
  readonly sid: string
  readonly isFollowing: boolean
  readonly server: Server
}

async function print({ sid, isFollowing, server }: Wanted): Promise<void> {
  const call = await fetchCall(server, sid)
  say(`${call.sid}  ${call.direction}  ${call.from} → ${call.to}\n`)
  const readers = new Map([[sid, eventReader(server, sid)]])
  const labels = new Map<string, string>()
  let startedAt: number | undefined
  let quiet = 0
  for (;;) {
    const isOver = FINAL.has((await fetchCall(server, sid)).status)
    for (const child of await fetchChildren(server, sid)) {
      if (readers.has(child.sid)) continue
      readers.set(child.sid, eventReader(server, child.sid))
      labels.set(child.sid, labelOf(child))
    }
    const events = await readAll([...readers.values()])
    startedAt ??= events[0]?.at
    for (const event of events) say(lineOf(event, startedAt ?? event.at, labels.get(event.callSid)))
    quiet = isOver && events.length === 0 ? quiet + 1 : 0
    if (!isFollowing || quiet >= QUIET_POLLS) break
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  say(`\n${summaryOf(await fetchCall(server, sid))}`)
}

function lineOf(event: CallEvent, startedAt: number, label: string | undefined): string {
  const style = { startedAt, isColoured: process.stdout.isTTY }
  return timelineLine(event, label === undefined ? style : { ...style, label })
}

async function readAll(
  readers: readonly (() => Promise<readonly CallEvent[]>)[],
): Promise<readonly CallEvent[]> {
  const events: CallEvent[] = []
  for (const read of readers) events.push(...(await read()))
  return events.sort((a, b) => a.at - b.at)
}

/** A call's label, as `[…1a2b3c +15005550002]`. */
function labelOf({ sid, to }: ShownCall): string {
  return `[…${sid.slice(-6)} ${to}]`
}

function summaryOf({ status, duration }: ShownCall): string {
  return duration === null ? status : `${status}, ${duration} s`
}

function readWanted(args: readonly string[]): Wanted | undefined {
  const { values, positionals } = parse(args)
  if (values.help === true) return undefined
  const [sid, ...rest] = positionals
  if (sid === undefined || rest.length > 0) throw new UsageError('one CALLSID is needed')
  if (!/^CA[0-9a-fA-F]{32}$/.test(sid)) throw new UsageError(`${sid} is not the sid of a call`)
  const config = readConfig(process.env)
  const url = (values.url ?? config.publicUrl ?? listenerUrl(config)).replace(/\/+$/, '')
  if (!URL.canParse(url)) throw new UsageError(`${url} is not a URL`)
  return { sid, isFollowing: values.follow === true, server: { url, ...credentials(config) } }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        follow: { type: 'boolean' },
        url: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : 'wrong arguments', { cause })
  }
}

function listenerUrl({ http: { host, port } }: Config): string {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`
}

function credentials({ firstAccount, dataDir }: Config): Pick<Server, 'accountSid' | 'token'> {
  const { sid, token } = firstAccount
  if (sid !== undefined && token !== undefined) return { accountSid: sid, token }
  const file = join(dataDir, 'first-account.json')
  try {
    // As the server wrote it at its first start.
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { accountSid: string; authToken: string }
    return { accountSid: kept.accountSid, token: kept.authToken }
  } catch (cause) {
    throw new UsageError(`no account: set FIRST_ACCOUNT_SID and FIRST_ACCOUNT_TOKEN, or ${file}`, {
      cause,
    })
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

try {
  const wanted = readWanted(process.argv.slice(2))
  if (wanted === undefined) say(HELP)
  else await print(wanted)
} catch (error) {
  const isUsage = error instanceof UsageError || error instanceof ConfigError
  if (!isUsage && !(error instanceof ServerRefusedError)) throw error
  process.stderr.write(`${error.message}\n${isUsage ? `\n${HELP}\n` : ''}`)
  process.exitCode = isUsage ? EXIT_USAGE : EXIT_REFUSED
}
