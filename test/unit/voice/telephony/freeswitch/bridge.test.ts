import { expect, it } from 'vitest'
import { createLogger } from '../../../../../src/platform/log.js'
import {
  type BridgedChannel,
  bridge,
} from '../../../../../src/voice/telephony/freeswitch/bridge.js'

type EventName = Parameters<BridgedChannel['nextEvent']>[0]

const OK = '+OK'

/** A channel whose events and end the test decides. */
class Channel implements BridgedChannel {
  readonly serverName = 'lab'
  readonly #over = new AbortController()
  readonly #events = new EventTarget()
  readonly sent: string[] = []
  readonly uuid: string
  /** What the media server does after it answered `uuid_bridge`. */
  onBridge: () => void = () => undefined

  constructor(uuid: string) {
    this.uuid = uuid
  }

  get over(): AbortSignal {
    return this.#over.signal
  }

  end(): void {
    this.#over.abort()
  }

  fire(name: EventName): void {
    this.#events.dispatchEvent(new Event(name))
  }

  nextEvent(name: EventName): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        resolve()
      }
      this.#events.addEventListener(name, settle, { once: true })
      this.over.addEventListener('abort', settle, { once: true })
    })
  }

  api({ text }: { readonly text: string }): Promise<string> {
    this.sent.push(text)
    if (text.startsWith('uuid_bridge')) this.onBridge()
    return Promise.resolve(OK)
  }
}

function twoChannels() {
  return {
    first: new Channel('0a0a0a0a-0000-4000-8000-000000000001'),
    second: new Channel('0b0b0b0b-0000-4000-8000-000000000002'),
  }
}

/** The time that a bridge takes until it is over. */
async function timeOf(bridged: Promise<void>): Promise<number> {
  const from = performance.now()
  await bridged
  return performance.now() - from
}

it.each<[string, (first: Channel, second: Channel) => void]>([
  [
    'ends as it is made, and the bridge and its end are told of together',
    (first, second) => {
      first.fire('CHANNEL_BRIDGE')
      first.fire('CHANNEL_PARK')
      second.end()
    },
  ],
  [
    'ends before the bridge was made',
    (first, second) => {
      first.fire('CHANNEL_PARK')
      second.end()
    },
  ],
])('a bridge is over at once when one channel %s', async (_title, happens) => {
  const { first, second } = twoChannels()
  first.onBridge = () => {
    happens(first, second)
  }
  const never = new AbortController().signal
  expect(await timeOf(bridge(first, second, never, createLogger('silent')))).toBeLessThan(1_000)
})

it('a bridge that is unwanted is over when both channels are parked again', async () => {
  const { first, second } = twoChannels()
  first.onBridge = () => {
    first.fire('CHANNEL_BRIDGE')
  }
  const unwanted = new AbortController()
  let isOver = false
  const bridged = bridge(first, second, unwanted.signal, createLogger('silent')).then(() => {
    isOver = true
  })
  unwanted.abort()
  await expect
    .poll(() => first.sent.filter((text) => text.startsWith('uuid_transfer')))
    .toEqual([`uuid_transfer ${first.uuid} -both park inline`])
  first.fire('CHANNEL_PARK')
  await Promise.resolve()
  expect(isOver).toBe(false)
  second.fire('CHANNEL_PARK')
  await bridged
})
