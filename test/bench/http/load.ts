/**
 * A process that sends one request over and over on keep-alive connections, one at a time on each.
 * It reads only the necessary part of an answer, so that the load costs less than the server.
 */

import { connect, type Socket } from 'node:net'
import { answerCommands } from '../child.js'
import { percentilesOf } from '../percentiles.js'

export interface LoadCommand {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** The head and body as they go over the wire. */
  readonly request: string
  /**
   * What stands in the place of each `{}` of the request: the first for the first request, and so on,
   * and then the first again.
   */
  readonly values?: readonly string[] | undefined
  readonly expectedStatus: number
}

export interface LoadReport {
  readonly perSecond: number
  readonly p50: number
  readonly p95: number
  /** The number of answers with another status. */
  readonly unexpected: number
  /** The processor time of the load's own process, in cores. */
  readonly cores: number
}

const HEAD_END = '\r\n\r\n'
/** The position of the status in `HTTP/1.1 200`. */
const STATUS_AT = 9

async function load(command: LoadCommand): Promise<LoadReport> {
  const requests = (command.values ?? ['']).map((value) =>
    Buffer.from(command.request.replaceAll('{}', value), 'utf8'),
  )
  let asked = 0
  const times: number[] = []
  let unexpected = 0
  let isOver = false
  const before = process.cpuUsage()
  const startedAt = performance.now()
  const sockets = Array.from({ length: command.connections }, () =>
    connect({ host: '127.0.0.1', port: command.port, noDelay: true }),
  )
  const run = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let askedAt = 0
      let rest: Buffer | undefined
      const ask = () => {
        askedAt = performance.now()
        const request = requests[asked % requests.length]
        asked += 1
        if (request !== undefined) socket.write(request)
      }
      socket.once('connect', ask)
      socket.once('error', reject)
      socket.once('close', resolve)
      socket.on('data', (chunk: Buffer) => {
        const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk])
        const status = statusWhenWhole(bytes)
        rest = status === undefined ? bytes : undefined
        if (status === undefined) return
        times.push(performance.now() - askedAt)
        if (status !== command.expectedStatus) unexpected += 1
        if (isOver) socket.destroy()
        else ask()
      })
    })
  setTimeout(() => {
    isOver = true
  }, command.seconds * 1_000)
  await Promise.all(sockets.map(run))
  const seconds = (performance.now() - startedAt) / 1_000
  const used = process.cpuUsage(before)
  const { p50, p95 } = percentilesOf(times)
  const cores = (used.user + used.system) / 1e6 / seconds
  return { perSecond: times.length / seconds, p50, p95, unexpected, cores }
}

/**
 * Returns the status once the whole answer is there, undefined before that. Every answer has a
 * Content-Length.
 */
function statusWhenWhole(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
  if (bytes.length < headEnd + HEAD_END.length + length) return undefined
  return Number(head.slice(STATUS_AT, STATUS_AT + 3))
}

answerCommands(load)
