/** Reads calls and their events from a running server. */
import type { WireEvent } from '../../../voice/api/event-operations.js'
import type { CallEvent } from '../servers/call-events.js'
import type { VoiceServer } from '../servers/voice-server.js'

export interface ShownCall {
  readonly sid: string
  readonly status: string
  readonly direction: string
  readonly from: string
  readonly to: string
  readonly duration: string | null
}

const PAGE_SIZE = 1_000
const MAX_CHILDREN = 100

export function fetchCall(server: VoiceServer, sid: string): Promise<ShownCall> {
  return server.get<ShownCall>(`/Calls/${encodeURIComponent(sid)}.json`)
}

export async function fetchChildren(
  server: VoiceServer,
  sid: string,
): Promise<readonly ShownCall[]> {
  const children: ShownCall[] = []
  const found = server.list<ShownCall>('/Calls.json', 'calls', { ParentCallSid: sid }, MAX_CHILDREN)
  for await (const child of found) children.push(child)
  return children
}

/**
 * Makes a reader of a call's events, each returned once: a call of the reader returns what is new.
 */
export function eventReader(server: VoiceServer, sid: string): () => Promise<readonly CallEvent[]> {
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
      const page = await server.get<{ events: WireEvent[] }>(path)
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
