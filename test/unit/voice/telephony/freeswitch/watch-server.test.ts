import { expect, it } from 'vitest'
import { watchServer } from '../../../../../src/voice/telephony/freeswitch/watch-server.js'

it('lets a server live that answers', async () => {
  const stop = new AbortController()
  let silences = 0
  let pings = 0
  const ping = () => {
    pings++
    if (pings === 30) stop.abort()
    return Promise.resolve()
  }
  await watchServer(
    ping,
    () => {
      silences++
    },
    stop.signal,
    1,
  )
  expect(silences).toBe(0)
})

it('reports once a server that leaves a ping unanswered, and looks no more', async () => {
  let silences = 0
  let pings = 0
  const ping = () => {
    pings++
    return new Promise(() => undefined)
  }
  await watchServer(
    ping,
    () => {
      silences++
    },
    new AbortController().signal,
    1,
  )
  expect({ pings, silences }).toEqual({ pings: 1, silences: 1 })
})

it('ends with its signal', async () => {
  const watching = watchServer(
    () => Promise.resolve(),
    () => undefined,
    AbortSignal.abort(),
    1,
  )
  await expect(watching).resolves.toBeUndefined()
})
