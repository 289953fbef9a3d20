import { expect, it } from 'vitest'
import { ForkSocket } from '../../../../../src/lab/media/forks/fork-socket.js'
import { openForkSink } from '../../../../support/media/fork-sink.js'
import { waitUntil } from '../../../../support/time/wait-until.js'

const ignore = (): void => undefined

it('drops audio, and says so, once the far end is behind by more than the limit', async () => {
  await using sink = await openForkSink()
  let isOpen = false
  const socket = new ForkSocket(sink.url, 100_000, {
    onOpen: () => {
      isOpen = true
    },
    onText: ignore,
    onBinary: ignore,
    onLost: ignore,
  })
  await waitUntil('the socket', () => isOpen && sink.requests.length === 1)
  sink.socket().pause()
  const second = Buffer.alloc(1_000_000)
  const sent = Array.from({ length: 30 }, () => socket.sendAudio(second))
  expect(sent[0]).toBe(true)
  expect(sent.at(-1)).toBe(false)
  // A far end that reads again gets audio again.
  sink.socket().resume()
  await waitUntil('room', () => socket.sendAudio(Buffer.alloc(320)))
  await socket.close()
  expect(socket.sendAudio(second)).toBe(true)
})

it('gives up a far end that does not answer the close', async () => {
  await using sink = await openForkSink()
  const lost: (string | undefined)[] = []
  let isOpen = false
  const socket = new ForkSocket(sink.url, 100_000, {
    onOpen: () => {
      isOpen = true
    },
    onText: ignore,
    onBinary: ignore,
    onLost: (reason) => lost.push(reason),
  })
  await waitUntil('the socket', () => isOpen && sink.requests.length === 1)
  sink.socket().pause()
  await socket.close()
  expect(lost).toEqual([])
})
