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
  /** The whole message without its credentials, where the server keeps it. */
  readonly full?: string
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

/**
 * Resolves with the messages, the oldest first. Of a dialog whose whole messages were kept there are only these.
 * `notKept` is the number of those beyond the server's limit.
 */
export async function fetchFullMessages(
  server: VoiceServer,
  sid: string,
): Promise<{ readonly messages: readonly SipMessage[]; readonly notKept: number }> {
  const call = await fetchCall(server, sid)
  const messages: SipMessage[] = []
  let notKept = 0
  for (const each of [call, ...(await fetchChildren(server, sid))])
    for (const { at, kind, detail } of await eventReader(server, each.sid)()) {
      if (kind === 'sip') messages.push(read(each, at, detail))
      if (kind !== 'sip-message') continue
      if (typeof detail['notKept'] === 'number') notKept += detail['notKept']
      else messages.push(readFull(each, at, detail))
    }
  const kept = new Set(
    messages.filter(({ full }) => full !== undefined).map(({ callId }) => callId),
  )
  const shown = messages.filter(({ callId, full }) => full !== undefined || !kept.has(callId))
  return { messages: withoutTwins(shown).toSorted((a, b) => a.at - b.at), notKept }
}

function readFull(call: ShownCall, at: number, detail: SipMessage['detail']): SipMessage {
  const { direction, callId, text, omittedChars } = detail
  const full = String(text)
  const [line = ''] = full.split('\r\n', 1)
  const method = /^\S+/.exec(line)?.[0] ?? ''
  const cut = typeof omittedChars === 'number' ? `… ${String(omittedChars)} more characters` : ''
  return {
    call,
    at,
    isSent: direction === 'sent',
    text: method === 'SIP/2.0' ? line.slice('SIP/2.0 '.length) : method,
    callId: String(callId),
    headers: {},
    detail,
    full: `${full}${cut}`,
  }
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
