/** Tries ports: whether one is free to listen on, and whether a server takes connections. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, isIPv6 } from 'node:net'

/** The system's code of the refusal, such as `EADDRINUSE`; undefined when the port is free. */
export async function tcpRefusal(host: string, port: number): Promise<string | undefined> {
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

export async function udpRefusal(host: string, port: number): Promise<string | undefined> {
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

const CONNECT_LIMIT_MS = 3_000

/** Connects and closes again; the code of the failure, or undefined when the server took it. */
export async function connectFailure(host: string, port: number): Promise<string | undefined> {
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
