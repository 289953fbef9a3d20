import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { expect, it } from 'vitest'
import { DEFAULT_MESSAGE_LIMITS } from '../../../../../src/lab/sip/message/limits.js'
import { StreamConnection } from '../../../../../src/lab/sip/transport/stream-connection.js'
import { Timers } from '../../../../../src/lab/sip/transport/timers.js'

/** A connection whose peer reads as many writes as `read` lets it. */
function connected() {
  const waiting: (() => void)[] = []
  const pongs: string[] = []
  const stream = new Duplex({
    read: () => undefined,
    write: (bytes: Buffer, _encoding, done) => {
      pongs.push(bytes.toString())
      waiting.push(done)
    },
  })
  const options = { setNoDelay: () => undefined, setKeepAlive: () => undefined }
  const socket = Object.assign(stream, options) as unknown as Socket // all that a connection calls
  const limits = {
    ...DEFAULT_MESSAGE_LIMITS,
    ...{ tcpConnections: 1, tcpConnectionsPerSource: 1, tcpIdleMs: 10_000 },
    ...{ tcpStrangers: 1, tcpStrangersPerSource: 1, tcpStrangerMs: 60_000 },
    ...{ tlsHandshakeMs: 5_000, serverTransactions: 1 },
  }
  const connection = new StreamConnection(
    {
      socket,
      peer: { transport: 'tcp', address: '192.0.2.1', port: 5060 },
      opensAt: undefined,
      failure: undefined,
    },
    {
      host: '127.0.0.1',
      port: 0,
      limits,
      timers: new Timers(),
      events: { onMessage: () => undefined, onGarbage: () => undefined },
      isKnown: () => false,
      neighbours: undefined,
    },
  )
  const ping = (times: number) => {
    stream.emit('data', Buffer.from('\r\n\r\n'.repeat(times)))
  }
  const read = () => {
    for (let done = waiting.shift(); done !== undefined; done = waiting.shift()) done()
  }
  return { connection, stream, pongs, ping, read }
}

it('keeps few pongs for a peer that pings and does not read, and answers it again once it has', async () => {
  const { connection, stream, pongs, ping, read } = connected()
  ping(100_000)
  expect(stream.writableLength).toBeLessThanOrEqual(stream.writableHighWaterMark)
  const drained = new Promise((resolve) => stream.once('drain', resolve))
  const reading = setInterval(read)
  await drained
  clearInterval(reading)
  const answered = pongs.length
  ping(1)
  expect(pongs.slice(answered)).toEqual(['\r\n'])
  connection.destroy()
})
