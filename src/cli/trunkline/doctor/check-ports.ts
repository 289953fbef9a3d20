/** Checks the listeners: reachable while the server runs, else free to listen on. */

import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, isIPv6 } from 'node:net'
import type { ListenAddress } from '../../../config.js'
import { operatorUrl } from '../servers/target.js'
import type { Facts } from './facts.js'
import { type Finding, fail, ok, warn } from './finding.js'

/** The number of ports of a range that are tried. */
const SAMPLES = 100
/** Both directions of a call that is bridged to another have a pair of ports each. */
const PORTS_PER_CALL = 2

const CONNECT_LIMIT_MS = 3_000
const OPTIONS_LIMIT_MS = 2_000

export async function checkPorts(facts: Facts): Promise<readonly Finding[]> {
  const { config, readiness } = facts
  const isRunning = readiness !== undefined
  const listeners = isRunning
    ? [await reachable('ADMIN_PORT', operatorUrl(facts.flags, facts.env))]
    : [await free('HTTP_PORT', config.http), await free('ADMIN_PORT', config.admin)]
  if (config.servers.type === 'real') return listeners
  const { host, tls } = config.sip
  return [
    ...listeners,
    isRunning ? await answersSip(config.sip) : await freeSip(config.sip),
    ...(isRunning || tls === undefined
      ? []
      : [await free('SIP_TLS_PORT', { host, port: tls.port })]),
    await rtpRange(facts),
  ]
}

async function reachable(variable: string, url: string): Promise<Finding> {
  const { hostname, port } = new URL(url)
  const failure = await connectFailure(hostname.replace(/^\[|\]$/g, ''), Number(port))
  return failure === undefined
    ? ok(variable, `the private listener takes connections at ${url}`)
    : fail(
        variable,
        `${url} is not reachable: ${failure}`,
        'give --admin-url, or ask from the machine of the server',
      )
}

async function free(variable: string, { host, port }: ListenAddress): Promise<Finding> {
  return verdict(variable, `${host}:${port}`, await tcpRefusal(host, port))
}

async function freeSip({ host, port }: ListenAddress): Promise<Finding> {
  const refusal = (await udpRefusal(host, port)) ?? (await tcpRefusal(host, port))
  return verdict('SIP_PORT', `${host}:${port} (UDP and TCP)`, refusal)
}

function verdict(variable: string, place: string, refusal: string | undefined): Finding {
  if (refusal === undefined) return ok(variable, `${place} is free`)
  const port = /:(\d+)/.exec(place)?.[1] ?? ''
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: `another program has it (ss -lntup 'sport = :${port}'): stop that one, or set ${variable}`,
    EACCES: 'a port below 1024 needs CAP_NET_BIND_SERVICE; choose a higher one',
    EADDRNOTAVAIL: 'the address is not one of this machine: correct the host',
  }
  return fail(variable, `${place} cannot be used: ${refusal}`, advice[refusal] ?? `set ${variable}`)
}

async function answersSip({ host, port }: ListenAddress): Promise<Finding> {
  if (port === 0)
    return ok('SIP_PORT', 'the lab chose a free port: the server printed it at its start')
  const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const answer = await askOptions(target, port)
  return answer === undefined
    ? warn(
        'SIP_PORT',
        `OPTIONS to ${target}:${port} got no answer`,
        'set SIP_HOST and SIP_PORT as for the server; a firewall may drop UDP',
      )
    : ok('SIP_PORT', `OPTIONS to ${target}:${port} got ${answer.replace(/^SIP\/2.0 /, '')}`)
}

/** The status line of the answer to an OPTIONS over UDP; undefined when none comes. */
async function askOptions(host: string, port: number): Promise<string | undefined> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  const failure = new AbortController()
  socket.on('error', (error) => {
    failure.abort(error)
  })
  const limit = setTimeout(() => {
    failure.abort()
  }, OPTIONS_LIMIT_MS)
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

async function rtpRange({ config }: Facts): Promise<Finding> {
  const { first, last } = config.rtpPorts
  const count = last - first + 1
  const step = Math.max(1, Math.floor(count / SAMPLES))
  let tried = 0
  let taken = 0
  for (let port = first; port <= last; port += step) {
    tried += 1
    if ((await udpRefusal(config.sip.host, port)) !== undefined) taken += 1
  }
  const calls = Math.floor(count / PORTS_PER_CALL)
  const text = `${first}-${last}: ${calls} legs; ${taken} of ${tried} ports tried are in use`
  if (calls < config.calls.max)
    return warn('RTP_PORTS', text, `MAX_CALLS is ${config.calls.max}: give a larger range`)
  return taken > tried / 2
    ? warn('RTP_PORTS', text, 'choose a range that no other program uses')
    : ok('RTP_PORTS', text)
}

/** The system's code of the refusal, such as `EADDRINUSE`; undefined when the port is free. */
async function tcpRefusal(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  try {
    server.listen({ host, port, exclusive: true })
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return codeOf(error)
  } finally {
    server.close()
  }
}

async function udpRefusal(host: string, port: number): Promise<string | undefined> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  try {
    socket.bind({ address: host, port, exclusive: true })
    await once(socket, 'listening')
    return undefined
  } catch (error) {
    return codeOf(error)
  } finally {
    socket.close()
  }
}

/** Connects and closes again; the code of the failure, or undefined when the server took it. */
async function connectFailure(host: string, port: number): Promise<string | undefined> {
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) })
    return undefined
  } catch (error) {
    return codeOf(error)
  } finally {
    socket.destroy()
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return error.code === 'ABORT_ERR' ? 'ETIMEDOUT' : error.code
  return String(error)
}
