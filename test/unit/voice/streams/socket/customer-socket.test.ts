import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { CustomerSocket } from '../../../../../src/voice/streams/socket/customer-socket.js'
import {
  MEDIA_FORMAT,
  type StreamMessage,
} from '../../../../../src/voice/streams/socket/messages.js'
import { startStreamServer } from '../../../../support/streams/stream-server.js'
import { waitUntil, waitWhileMoving } from '../../../../support/time/wait-until.js'

/** All that may be pending in a playout. */
const MARKS = 10_000
const PINGS = 100_000
const START: StreamMessage = {
  event: 'start',
  start: {
    ...{ accountSid: 'AC', streamSid: 'MZ', callSid: 'CA' },
    tracks: ['inbound'],
    mediaFormat: MEDIA_FORMAT,
    customParameters: {},
  },
}
const STOP = { event: 'stop', stop: { accountSid: 'AC', callSid: 'CA' } } as const

async function opened(url: string) {
  const closes: unknown[] = []
  const slow: string[] = []
  const texts: string[] = []
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  const customer = await CustomerSocket.open(
    { url, streamSid: 'MZ', headers: {}, socket },
    {
      onText: (text) => texts.push(text),
      onBinary: () => undefined,
      onSlow: (): void => {
        slow.push('slow')
      },
      onClosed: (failure) => closes.push(failure),
    },
    new AbortController().signal,
  )
  return { customer, socket, closes, slow, texts }
}

it('returns all marks that may be pending at once, in order, however long it takes to write them', async () => {
  await using server = await startStreamServer()
  const { customer, closes } = await opened(server.url)
  customer.send(START)
  const far = await server.started()
  for (let i = 0; i < MARKS; i += 1) customer.send({ event: 'mark', mark: { name: String(i) } })
  const read = () => far.marks.length
  await waitWhileMoving('all marks', () => read() === MARKS, read)
  expect(far.marks.map(({ name }) => Number(name))).toEqual(
    Array.from({ length: MARKS }, (_, i) => i),
  )
  await customer.close(STOP)
  expect(far.messages.at(-1)).toMatchObject({ event: 'stop', sequenceNumber: String(MARKS + 2) })
  expect(closes).toEqual([])
})

it('gives a far end up that reads none of more', async () => {
  await using server = await startStreamServer()
  const { customer, closes, texts } = await opened(server.url)
  customer.send(START)
  const far = await server.started()
  // A far end that has answered no ping is not judged: its text comes behind the first answer.
  customer.send({ event: 'mark', mark: { name: 'behind the ping' } })
  await waitUntil('the far end reads on', () => far.marks.length === 1)
  far.socket.send('behind the pong')
  await waitUntil('its text', () => texts.length === 1)
  far.socket.pause()
  for (let i = 0; i < 2 * MARKS; i += 1) customer.send({ event: 'mark', mark: { name: String(i) } })
  expect(closes).toMatchObject([{ number: 31903 }])
})

it('keeps few answers for a far end that pings and does not read, and gives it the last', async () => {
  await using server = await startStreamServer()
  const { customer, socket, texts } = await opened(server.url)
  customer.send(START)
  const far = await server.started()
  const pongs: string[] = []
  far.socket.on('pong', (payload) => pongs.push(payload.toString()))
  far.socket.pause()
  // Far more than the kernel holds of the answers.
  for (let i = 1; i <= PINGS; i += 1) far.socket.ping(String(i).padEnd(125))
  far.socket.send('behind the pings')
  const read = () => socket.bytesRead
  await waitWhileMoving('all pings', () => texts.length === 1, read)
  expect(socket.writableLength).toBeLessThan(64 * 1_024)
  far.socket.resume()
  await waitUntil('the last answer', () => pongs.at(-1)?.trim() === String(PINGS))
})

it('says no stop where there was no start', async () => {
  await using server = await startStreamServer()
  const { customer } = await opened(server.url)
  await customer.close(STOP)
  await waitUntil('the close', () => server.streams[0]?.closeCode === 1000)
  expect(server.streams[0]?.messages).toEqual([])
})

it('lets others have their turn between the messages of a far end that sends many at once', async () => {
  await using server = await startStreamServer()
  const { customer, texts } = await opened(server.url)
  customer.send(START)
  const far = await server.started()
  const junk = Buffer.from([0x81, 1, 0x78]) // one text frame (RFC 6455 §5.2)
  const wire = far.socket as WebSocket & { _socket?: Socket } // the library hands it out no other way
  wire._socket?.write(Buffer.concat(Array.from({ length: 500 }, () => junk)))
  const seen: number[] = []
  await waitUntil('all texts', async () => {
    for (let turn = 0; turn < 1_000 && texts.length < 500; turn += 1) {
      await new Promise(setImmediate)
      seen.push(texts.length)
    }
    return texts.length === 500
  })
  expect(Math.max(...seen.map((count, i) => count - (seen[i - 1] ?? 0)))).toBeLessThan(5)
  await customer.close(STOP)
})

it('does not wait long for a far end that says goodbye and keeps the connection', async () => {
  await using server = await startStreamServer()
  const { customer, closes, slow } = await opened(server.url)
  customer.send(START)
  const far = await server.started()
  const wire = far.socket as WebSocket & { _socket?: Socket }
  wire.pause()
  wire._socket?.write(Buffer.from([0x88, 2, 0x03, 0xe8])) // a close with 1000 (RFC 6455 §5.5.1)
  await waitUntil('the end', () => closes.length === 1, 5_000)
  expect(closes).toEqual([undefined])
  expect(slow).toEqual([])
})
