import { expect, it } from 'vitest'
import { createHttpSeller } from '../../../src/numbers/http-seller.js'
import { NumberProviderError } from '../../../src/numbers/number-seller.js'
import type { OutboundRequest } from '../../../src/platform/http/outbound-request.js'

const PAGE = 5_000

it('a search gives up a provider that takes its whole time for each of many pages', async () => {
  let now = 0
  const asked: string[] = []
  const request = ({ url }: OutboundRequest) => {
    now += 9_999
    asked.push(url)
    const after = new URL(url).searchParams.get('after') ?? ''
    const first = after === '' ? 2_000_000 : Number(after.slice(5)) + 1
    const numbers = Array.from({ length: PAGE }, (_, index) => ({
      number: `+1775${String(first + index)}`,
    }))
    return Promise.resolve({
      status: 200,
      headers: new Headers(),
      body: Buffer.from(JSON.stringify({ numbers })),
      url,
      timings: { connectMs: 0, headersMs: 0, totalMs: 0 },
    })
  }
  const server = { url: 'https://numbers.example', token: undefined }
  const seller = createHttpSeller({ request }, server, { monotonic: () => now })
  const search = (limit: number) => seller.search({ mask: '775_______', filter: {}, limit })
  expect(await search(2 * PAGE)).toHaveLength(2 * PAGE)
  asked.length = 0
  await expect(search(20 * PAGE)).rejects.toBeInstanceOf(NumberProviderError)
  expect(asked).toHaveLength(3)
})
