/** A SIP message for test peers, encoded and decoded without the product's code. */
export interface PeerMessage {
  readonly method: string | undefined
  readonly status: number | undefined
  readonly startLine: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

const COMPACT: Readonly<Record<string, string>> = {
  v: 'via',
  f: 'from',
  t: 'to',
  i: 'call-id',
  m: 'contact',
  l: 'content-length',
  c: 'content-type',
}

export function parseMessage(text: string): PeerMessage {
  const end = text.indexOf('\r\n\r\n')
  const head = end === -1 ? text : text.slice(0, end)
  const [startLine = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim().toLowerCase()
    return [COMPACT[name] ?? name, line.slice(colon + 1).trim()]
  })
  const isResponse = startLine.startsWith('SIP/2.0 ')
  return {
    method: isResponse ? undefined : startLine.split(' ')[0],
    status: isResponse ? Number(startLine.split(' ')[1]) : undefined,
    startLine,
    headers,
    body: end === -1 ? '' : text.slice(end + 4),
  }
}

export function headerOf(message: PeerMessage, name: string): string {
  return message.headers.find(([known]) => known === name)?.[1] ?? ''
}

export function headersOf(message: PeerMessage, name: string): string[] {
  return message.headers.filter(([known]) => known === name).map(([, value]) => value)
}

export function writeMessage(
  startLine: string,
  headers: readonly (readonly [string, string])[],
  body: string,
): string {
  const type = body === '' ? [] : ['Content-Type: application/sdp']
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type')
  return [
    startLine,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(hasType ? [] : type),
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    '',
    body,
  ].join('\r\n')
}

export function tagOf(header: string): string | undefined {
  return /;tag=([^;>\s]+)/.exec(header)?.[1]
}

/** The URI inside `<…>`, else the header without its parameters. */
export function uriOf(header: string): string {
  return /<([^>]+)>/.exec(header)?.[1] ?? header.split(';')[0] ?? ''
}
