import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { fillRows } from '../process/fill-rows.js'
import type { RunningTrunkline } from '../process/trunkline.js'

const DAY_MS = 86_400_000
const MAX_BYTES = 256 * 1024 * 1024

const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
/** Day of the calls. */
export const YESTERDAY = new Date(today - DAY_MS).toISOString().slice(0, 10)

/** Number of calls, and their total duration. */
export interface CallSum {
  readonly count: number
  readonly seconds: number
}

/** Stores `count` completed calls, spread over yesterday. */
export function fillCalls(trunkline: RunningTrunkline, count: number): Promise<void> {
  return fillRows(trunkline, 'calls', calls(trunkline.account.sid, count))
}

function* calls(accountSid: string, count: number) {
  for (let index = 0; index < count; index += 1) {
    const at = today - DAY_MS + Math.floor((index * DAY_MS) / count)
    const seconds = index % 100
    yield {
      sid: `CA${index.toString(16).padStart(32, '0')}`,
      accountSid,
      direction: 'outbound-api',
      toAddress: '+15551112222',
      fromAddress: '+15553334444',
      status: 'completed',
      startedAt: at,
      answeredAt: at,
      endedAt: at + 1_000 * seconds,
      durationSeconds: seconds,
      queueMs: 0,
      sipStatus: 200,
      plan: '{"document":{"type":"inline","text":"<Response/>"},"timeoutSeconds":60}',
      callbackCount: 0,
      node: 'filled',
      createdAt: at,
      updatedAt: at,
    }
  }
}

/** Sums up yesterday's calls from the list API, page by page. */
export async function listedCalls(trunkline: RunningTrunkline): Promise<CallSum> {
  let path: string | null = `/Calls.json?StartTime=${YESTERDAY}&PageSize=1000`
  let count = 0
  let seconds = 0
  while (path !== null) {
    const { body } = await trunkline.api('GET', path)
    // As the API documents its lists.
    const page = body as unknown as {
      calls: { duration: string }[]
      next_page_uri: string | null
    }
    count += page.calls.length
    for (const { duration } of page.calls) seconds += Number(duration)
    path = page.next_page_uri?.replace(/^.*?\/Calls/, '/Calls') ?? null
  }
  return { count, seconds }
}

export interface DownloadedArchive {
  readonly bytes: number
  readonly calls: CallSum
}

/** Downloads yesterday's archive as a customer, and sums up its calls. */
export async function downloadedArchive({
  http,
  account: { sid, secret },
  folder,
}: RunningTrunkline): Promise<DownloadedArchive> {
  const basic = Buffer.from(`${sid}:${secret}`).toString('base64')
  const answer = await fetch(`${http}/2010-04-01/Accounts/${sid}/Exports/${YESTERDAY}`, {
    headers: { authorization: `Basic ${basic}` },
    redirect: 'manual',
  })
  if (answer.status !== 302) throw new Error(`the archive answers ${answer.status}`)
  const archive = await fetch(answer.headers.get('location') ?? '')
  const bytes = Buffer.from(await archive.arrayBuffer())
  const place = join(folder, 'archive')
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'day.tar'), bytes)
  const gzipped = execFileSync('tar', ['-xOf', join(place, 'day.tar'), 'calls.jsonl.gz'], {
    maxBuffer: MAX_BYTES,
  })
  const lines = gunzipSync(gzipped).toString('utf8').trimEnd().split('\n')
  const seconds = lines
    .map((line) => Number((JSON.parse(line) as { duration: string }).duration))
    .reduce((total, each) => total + each, 0)
  return { bytes: bytes.length, calls: { count: lines.length, seconds } }
}
