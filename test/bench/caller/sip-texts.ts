/** The few SIP messages that the measuring caller writes (RFC 3261). Pure. */

export interface Names {
  readonly callId: string
  readonly number: string
  readonly serverPort: number
  readonly localPort: number
}

export function inviteOf(names: Names, rtpPort: number): string {
  const { localPort } = names
  const sdp = lines(
    'v=0',
    'o=bench 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${rtpPort} RTP/AVP 0 101`,
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    'a=ptime:20',
  )
  return (
    lines(
      `INVITE ${uriOf(names)} SIP/2.0`,
      ...common(names, 'invite', '', '1 INVITE'),
      `Contact: <sip:bench@127.0.0.1:${localPort}>`,
      'Content-Type: application/sdp',
      `Content-Length: ${sdp.length}`,
    ) + `\r\n${sdp}`
  )
}

/**
 * Builds an ACK. The ACK of a refusal belongs to the INVITE's transaction, that of a 200 to one of
 * its own (§17.1.1.3, §13.2.2.4).
 */
export function ackOf(names: Names, answer: string, status: number): string {
  const isRefusal = status >= 300
  return request('ACK', names, answer, isRefusal ? 'invite' : 'ack', '1 ACK')
}

export function byeOf(names: Names, answer: string): string {
  return request('BYE', names, answer, 'bye', '2 BYE')
}

/** Builds a 200 to a request of the other side, with that request's headers (§8.2.6.2). */
export function okTo(text: string): string {
  const kept = text.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/i.test(line))
  return lines('SIP/2.0 200 OK', ...kept, 'Content-Length: 0', '')
}

export function headerOf(text: string, name: string): string {
  const start = text.indexOf(`\r\n${name}: `)
  if (start < 0) return ''
  const from = start + name.length + 4
  return text.slice(from, text.indexOf('\r\n', from))
}

function request(
  method: string,
  names: Names,
  answer: string,
  branch: string,
  cseq: string,
): string {
  const contact = /<([^>]+)>/.exec(headerOf(answer, 'Contact'))?.[1] ?? uriOf(names)
  const toTag = /;tag=([^;\s]+)/.exec(headerOf(answer, 'To'))?.[0] ?? ''
  const target = branch === 'invite' ? uriOf(names) : contact
  return lines(
    `${method} ${target} SIP/2.0`,
    ...common(names, branch, toTag, cseq),
    'Content-Length: 0',
    '',
  )
}

function common(names: Names, branch: string, toTag: string, cseq: string): readonly string[] {
  const { callId, localPort } = names
  return [
    `Via: SIP/2.0/UDP 127.0.0.1:${localPort};branch=z9hG4bK${callId}-${branch}`,
    'Max-Forwards: 70',
    `From: <sip:+15553334444@127.0.0.1:${localPort}>;tag=${callId}`,
    `To: <${uriOf(names)}>${toTag}`,
    `Call-ID: ${callId}`,
    `CSeq: ${cseq}`,
  ]
}

function uriOf({ number, serverPort }: Names): string {
  return `sip:${number}@127.0.0.1:${serverPort}`
}

function lines(...all: readonly string[]): string {
  return all.map((line) => `${line}\r\n`).join('')
}
