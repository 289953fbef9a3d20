import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AdapterError } from '../../../../../src/platform/errors.js'
import type { Uac } from '../../../../../src/voice/telephony/freeswitch/endpoint-dialog.js'
import { LegEndedError } from '../../../../../src/voice/telephony/port.js'
import { audioComesBack } from '../../../../../src/voice/telephony/servers/server-trials.js'

type Tried = Parameters<typeof audioComesBack>[0]
type Endpoint = Awaited<ReturnType<Tried['createEndpoint']>>

const ENDS = { localAddress: '127.0.0.1', remoteAddress: '127.0.0.1' }
const NEVER = new Promise<never>(() => undefined)
const UAC: Uac = { createUAC: () => NEVER }
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

let rtp: Socket

beforeEach(async () => {
  rtp = createSocket('udp4')
  rtp.bind(0, '127.0.0.1')
  await once(rtp, 'listening')
})
afterEach(() => {
  rtp.close()
})

/** A media server whose channel has its RTP at `rtp`, and runs an application as given. */
function server(execute: () => Promise<unknown>) {
  const seen = { offers: [] as string[], released: 0 }
  const { port } = rtp.address()
  const localSdp = `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${String(port)} RTP/AVP 0\r\n`
  const endpoint = {
    localSdp,
    execute: execute as Endpoint['execute'],
    release: () => {
      seen.released += 1
      return Promise.resolve(undefined)
    },
  }
  const tried: Tried = {
    ends: ENDS,
    createEndpoint: ({ peer }) => {
      seen.offers.push(peer?.sdp ?? '')
      return Promise.resolve(endpoint)
    },
  }
  return { tried, seen }
}

describe('the trial of the audio of a media server', () => {
  it('hears its own packets', async () => {
    rtp.on('message', (packet, { port, address }) => {
      rtp.send(packet, port, address)
    })
    const { tried, seen } = server(() => NEVER)
    expect(await audioComesBack(tried, UAC)).toBe(true)
    expect(seen).toMatchObject({ released: 1 })
  })

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['an echo that is refused', () => Promise.resolve({}), /refused to echo the audio of a trial/],
    [
      'a channel that ends',
      () => Promise.reject(new LegEndedError('the leg is over')),
      /ended the channel of a trial/,
    ],
  ])('says at once that it cannot tell: %s', async (_title, execute, said) => {
    const before = timers()
    const { tried, seen } = server(execute)
    const trial = audioComesBack(tried, UAC)
    await expect(trial).rejects.toThrow(AdapterError)
    await expect(trial).rejects.toThrow(said)
    expect(seen.released).toBe(1)
    // Its packets end with its socket.
    expect(timers()).toBe(before)
    expect(await isFree(seen.offers[0] ?? '')).toBe(true)
  })

  it('leaves no socket where no channel is made', async () => {
    const offers: string[] = []
    const tried: Tried = {
      ends: ENDS,
      createEndpoint: ({ peer }) => {
        offers.push(peer?.sdp ?? '')
        return Promise.reject(new AdapterError('the media server is not ready'))
      },
    }
    await expect(audioComesBack(tried, UAC)).rejects.toThrow('not ready')
    expect(await isFree(offers[0] ?? '')).toBe(true)
  })
})

/** True when nobody has the port of the offer any more. */
async function isFree(offer: string): Promise<boolean> {
  const socket = createSocket('udp4')
  try {
    socket.bind(Number(/^m=audio (\d+)/m.exec(offer)?.[1]), '127.0.0.1')
    await once(socket, 'listening')
    return true
  } catch {
    return false
  } finally {
    socket.close()
  }
}
