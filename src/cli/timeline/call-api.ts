/** Reads calls and their events from a running server, over its REST API. */
import type { WireEvent } from '../../voice/api/event-operations.js'
import type { CallEvent } from '../call-events.js'

export interface Server {
  readonly url: string
  readonly accountSid: string
  readonly token: string
}

export interface ShownCall {
  readonly sid: string
  readonly status: string
  readonly direction: string
  readonly from: string
  readonly to: string
  readonly duration: string | null
}

/** The server refused a request or did not answer; the message is for a person. */
export class ServerRefusedError extends Error {
  override readonly name = 'ServerRefusedError'
}

const LIMIT_MS = 15_000
const PAGE_SIZE = 1_000
const MAX_CHILDREN = 100

export function fetchCall(server: Server, sid: string): Promise<ShownCall> {
  return get<ShownCall>(server, `/Calls/${encodeURIComponent(sid)}.json`)
}

export async function fetchChildren(server: Server, sid: string): Promise<readonly ShownCall[]> {
  const query = new URLSearchParams({ ParentCallSid: sid, PageSize: String(MAX_CHILDREN) })
  const list = await get<{ calls: ShownCall[] }>(server, `/Calls.json?${query.toString()}`)
  return list.calls
}

/**
 * Makes a reader of a call's events, each returned once: a call of the reader returns what is new.
 */
export function eventReader(server: Server, sid: string): () => Promise<readonly CallEvent[]> {
  // Events are listed oldest first and are only ever appended: a page that was full stays as it is.
  let seen = 0
  return async () => {
    const events: CallEvent[] = []
    for (;;) {
      const query = new URLSearchParams({
        PageSize: String(PAGE_SIZE),
        Page: String(Math.floor(seen / PAGE_SIZE)),
      })
      const path = `/Calls/${encodeURIComponent(sid)}/Events.json?${query.toString()}`
      const page = await get<{ events: WireEvent[] }>(server, path)
      const added = page.events.slice(seen % PAGE_SIZE)
      events.push(...added.map((event) => callEventOf(sid, event)))
      seen += added.length
      if (page.events.length < PAGE_SIZE) return events
    }
  }
}

function callEventOf(callSid: string, { kind, at, request, response, detail }: WireEvent) {
  const asked = { method: request['method'], url: request['url'] }
  const answered = { status: response['response_code'], durationMs: response['request_duration'] }
  const isRequest = kind === 'webhook' || kind === 'callback'
  return {
    callSid,
    kind,
    at: Date.parse(at),
    detail: isRequest ? { ...detail, ...asked, ...answered } : detail,
  }
}

/** The answers are our own server's. */
async function get<Answer>({ url, accountSid, token }: Server, path: string): Promise<Answer> {
  const target = `${url}/2010-04-01/Accounts/${accountSid}${path}`
  const credentials = Buffer.from(`${accountSid}:${token}`).toString('base64')
  let answer: Response
  try {
    answer = await fetch(target, {
      headers: { authorization: `Basic ${credentials}` },
      signal: AbortSignal.timeout(LIMIT_MS),
    })
  } catch (cause) {
    throw new ServerRefusedError(`no server answers at ${url}`, { cause })
  }
  if (answer.ok) return (await answer.json()) as Answer
  const body: unknown = await answer.json().catch(() => undefined)
  const isExplained = typeof body === 'object' && body !== null && 'message' in body
  throw new ServerRefusedError(
    `${answer.status}: ${isExplained ? String(body.message) : answer.statusText}`,
  )
}
