/** The SIP messages of a call and of the calls that it dialled, in the order of time. */
import type { VoiceServer } from '../servers/voice-server.js'
import { eventReader, fetchCall, fetchChildren, type ShownCall } from './event-reader.js'

export interface SipMessage {
  readonly call: Pick<ShownCall, 'sid' | 'direction' | 'from' | 'to'>
  readonly at: number
  /** True for a message that this server sent. */
  readonly isSent: boolean
  /** The method or status line: `INVITE`, `180 Ringing`. */
  readonly text: string
  readonly callId: string
  readonly headers: Readonly<Record<string, string>>
  /** The event's other facts: `peer`, `local`, `carrier`, `requestUri`, `madeBy`, `why`. */
  readonly detail: Readonly<Record<string, unknown>>
}

/** Resolves with the messages, the oldest first. Calls that share one leg have each of its messages once. */
export async function fetchSipMessages(
  server: VoiceServer,
  sid: string,
): Promise<readonly SipMessage[]> {
  const call = await fetchCall(server, sid)
  const messages: SipMessage[] = []
  for (const each of [call, ...(await fetchChildren(server, sid))]) {
    const events = await eventReader(server, each.sid)()
    messages.push(
      ...events
        .filter(({ kind }) => kind === 'sip')
        .map(({ at, detail }) => read(each, at, detail)),
    )
  }
  return withoutTwins(messages).toSorted((a, b) => a.at - b.at)
}

function read(call: ShownCall, at: number, detail: SipMessage['detail']): SipMessage {
  const { direction, message, callId, headers } = detail
  return {
    call,
    at,
    isSent: direction === 'sent',
    text: String(message),
    // Events of earlier versions have no Call-ID: the call's messages then count as one dialog.
    callId: typeof callId === 'string' ? callId : call.sid,
    headers: (headers ?? {}) as SipMessage['headers'], // As the server writes them.
    detail,
  }
}

/** Drops the messages of a call's dialog that another call has shown already. */
function withoutTwins(messages: readonly SipMessage[]): readonly SipMessage[] {
  const owners = new Map<string, string>()
  return messages.filter(({ call, callId }) => {
    const owner = owners.get(callId) ?? call.sid
    owners.set(callId, owner)
    return owner === call.sid
  })
}
