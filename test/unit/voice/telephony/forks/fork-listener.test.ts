import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { ForkListener } from '../../../../../src/voice/telephony/forks/fork-listener.js'
import { recordingLog } from '../../../../support/process/recording-log.js'
import { waitUntil } from '../../../../support/time/wait-until.js'

const SUBPROTOCOL = 'audio.drachtio.org'
const { log, lines } = recordingLog()
let listener: ForkListener

beforeEach(async () => {
  lines.length = 0
  listener = await ForkListener.open({
    address: '127.0.0.1',
    advertisedAddress: undefined,
    log,
  })
})
afterEach(() => listener[Symbol.asyncDispose]())

/** Asks for an upgrade by hand; resolves with the connection once it has been answered. */
async function upgraded(url: string): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    [
      ...[`GET ${pathname} HTTP/1.1`, `Host: ${hostname}`, 'Upgrade: websocket'],
      ...['Connection: Upgrade', 'Sec-WebSocket-Version: 13'],
      ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', `Sec-WebSocket-Protocol: ${SUBPROTOCOL}`],
      ...['', ''],
    ].join('\r\n'),
  )
  await once(socket, 'data')
  return socket
}

/** Resolves when the error of a connection was noticed. Unnoticed, it ends the process. */
const untilNoticed = () =>
  waitUntil('the error is noticed', () =>
    lines.some(({ msg }) => msg === 'a fork connection failed'),
  )

async function expectStillListening(): Promise<void> {
  const expected = listener.expect()
  const socket = new WebSocket(expected.url, SUBPROTOCOL)
  await once(socket, 'open')
  expect((await expected.socket).readyState).toBe(WebSocket.OPEN)
  socket.terminate()
}

describe('the listener for forked audio goes on when', () => {
  it('a connection without a token is refused and reset', async () => {
    const { url } = listener.expect()
    const socket = await upgraded(url.replace(/[0-9a-f]{32}$/, '0'.repeat(32)))
    socket.resetAndDestroy()
    await untilNoticed()
    await expectStillListening()
  })

  it('a connection is reset before its fork is begun', async () => {
    const socket = await upgraded(listener.expect().url)
    socket.resetAndDestroy()
    await untilNoticed()
    await expectStillListening()
  })

  it('a connection sends nonsense before its fork is begun', async () => {
    const socket = await upgraded(listener.expect().url)
    socket.write(Buffer.alloc(64, 0xff))
    await untilNoticed()
    await expectStillListening()
    socket.destroy()
  })
})

it('a connection that came for a fork that is not wanted any more is closed', async () => {
  const expected = listener.expect()
  const socket = new WebSocket(expected.url, SUBPROTOCOL)
  await once(socket, 'open')
  await expected.socket
  const closed = once(socket, 'close')
  expected.forget()
  await closed
})
