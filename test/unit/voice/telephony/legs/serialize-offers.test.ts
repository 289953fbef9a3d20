import { expect, it } from 'vitest'
import { deferred } from '../../../../../src/platform/async/deferred.js'
import { createLogger } from '../../../../../src/platform/log.js'
import {
  type OfferResponse,
  serializeOffers,
} from '../../../../../src/voice/telephony/legs/dialog-requests.js'

/** A response that keeps what is sent through it, unless its connection is gone. */
class Response implements OfferResponse {
  readonly sent: number[] = []
  readonly headers: (Readonly<Record<string, string>> | undefined)[] = []
  readonly #isGone: boolean

  constructor(connection: 'open' | 'gone' = 'open') {
    this.#isGone = connection === 'gone'
  }

  get finalResponseSent(): boolean {
    return this.sent.length > 0
  }

  send(status: number, options?: { readonly headers: Readonly<Record<string, string>> }): void {
    if (this.#isGone) throw new Error('the connection is gone')
    this.sent.push(status)
    this.headers.push(options?.headers)
  }
}

const LOG = createLogger('silent')

async function taken(turn: ReturnType<typeof serializeOffers>): Promise<readonly number[]> {
  const res = new Response()
  await turn(res, () => {
    res.send(200)
    return Promise.resolve()
  })
  return res.sent
}

it('an offer that crosses another one is told to come again (RFC 3261 §14.2)', async () => {
  const turn = serializeOffers(LOG)
  const first = deferred()
  const answering = turn(new Response(), () => first.done)
  const crossing = new Response()
  await turn(crossing, () => Promise.reject(new Error('it is not its turn')))
  expect(crossing.sent).toEqual([500])
  expect(crossing.headers[0]?.['Retry-After']).toMatch(/^(?:\d|10)$/)
  first.resolve()
  await answering
  expect(await taken(turn)).toEqual([200])
})

it('an offer that cannot be taken gets 500, and does not hold back the next one', async () => {
  const turn = serializeOffers(LOG)
  const res = new Response()
  await turn(res, () => Promise.reject(new Error('the media server is gone')))
  expect(res.sent).toEqual([500])
  expect(await taken(turn)).toEqual([200])
})

it('an offer whose answer cannot be sent does not hold back the next one', async () => {
  const turn = serializeOffers(LOG)
  const res = new Response('gone')
  await turn(res, () => {
    res.send(200)
    return Promise.resolve()
  })
  expect(res.sent).toEqual([])
  expect(await taken(turn)).toEqual([200])
})

it('an offer that was answered before the failure gets no second answer', async () => {
  const res = new Response()
  await serializeOffers(LOG)(res, () => {
    res.send(200)
    return Promise.reject(new Error('too late'))
  })
  expect(res.sent).toEqual([200])
})
