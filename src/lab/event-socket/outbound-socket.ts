import { connect, type Socket } from 'node:net'

export interface SocketTarget {
  readonly host: string
  readonly port: number
}

/** The port that is used when none is given, as by the server. */
const DEFAULT_PORT = 8084

/**
 * Reads `host:port` targets, separated by `|` and tried in turn; undefined when one is malformed.
 */
export function readSocketTargets(text: string): readonly SocketTarget[] | undefined {
  const targets = text
    .trim()
    .split('|')
    .map((part) => {
      const [, host, port] = /^([\w.-]+|\[[0-9a-fA-F:]+\])(?::(\d{1,5}))?$/.exec(part) ?? []
      return { host: host?.replace(/^\[|\]$/g, '') ?? '', port: Number(port ?? DEFAULT_PORT) }
    })
  return targets.every(({ host, port }) => host !== '' && port > 0 && port <= 65_535)
    ? targets
    : undefined
}

/** Resolves with a connected socket, or with undefined when none of the targets takes the connection. */
export async function connectToApplication(
  targets: readonly SocketTarget[],
  limitMs: number,
  onFailure: (target: SocketTarget, error: unknown) => void,
): Promise<Socket | undefined> {
  for (const target of targets) {
    try {
      return await open(target, limitMs)
    } catch (error) {
      onFailure(target, error)
    }
  }
  return undefined
}

function open(target: SocketTarget, limitMs: number): Promise<Socket> {
  const socket = connect({ ...target, noDelay: true, keepAlive: true })
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(() => {
      fail(new Error(`no connection within ${limitMs} ms`))
    }, limitMs)
    socket.once('error', fail)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', fail)
      resolve(socket)
    })
  })
}
