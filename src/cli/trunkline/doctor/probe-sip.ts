/** Asks a SIP server whether it is there (RFC 3261 §11). */
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

const LIMIT_MS = 2_000

/** The status line of the answer to an OPTIONS over UDP; undefined when none comes. */
export async function askOptions(host: string, port: number): Promise<string | undefined> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  const failure = new AbortController()
  socket.on('error', (error) => {
    failure.abort(error)
  })
  const limit = setTimeout(() => {
    failure.abort()
  }, LIMIT_MS)
  try {
    const ready = once(socket, 'connect', { signal: failure.signal })
    socket.connect(port, host)
    await ready
    const answered = once(socket, 'message', { signal: failure.signal })
    const { address, port: own } = socket.address()
    const here = `${address.includes(':') ? `[${address}]` : address}:${own}`
    socket.send(optionsRequest(`${host.includes(':') ? `[${host}]` : host}:${port}`, here))
    const [answer] = (await answered) as [Buffer] // a datagram and its source
    return answer.toString('utf8').split('\r\n')[0]
  } catch {
    return undefined // No answer in time, or the port is closed: the caller says so.
  } finally {
    clearTimeout(limit)
    socket.close()
  }
}

function optionsRequest(target: string, here: string): string {
  const id = randomBytes(8).toString('hex')
  return [
    `OPTIONS sip:doctor@${target} SIP/2.0`,
    `Via: SIP/2.0/UDP ${here};rport;branch=z9hG4bK${id}`,
    'Max-Forwards: 70',
    `From: <sip:doctor@${here}>;tag=${id}`,
    `To: <sip:doctor@${target}>`,
    `Call-ID: ${id}`,
    'CSeq: 1 OPTIONS',
    'User-Agent: trunkline-doctor',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')
}
