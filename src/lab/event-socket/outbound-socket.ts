import { connect, type Socket } from 'node:net'

export interface SocketTarget {
  readonly host: string
  readonly port: number
}

/** FreeSWITCH's default port for outbound sockets. */
const DEFAULT_PORT = 8084

/** Parses `host:port` targets, separated by `|`; undefined when one is malformed. */
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

/** Tries the targets in order. Resolves with a connected socket, or with undefined when none accepts. */
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
