/**
 * A provider of numbers behind HTTP, in JSON: `GET numbers`, `GET coverage`, `POST orders`,
 * `GET orders/{key}` and `DELETE orders/{key}/numbers/{number}` below its URL. docs/numbers.md
 * describes each.
 */
import { z } from '@hono/zod-openapi'
import { type Clock, systemClock } from '../platform/clock.js'
import type { Outbound } from '../platform/http/outbound.js'
import {
  createProviderClient,
  type JsonAnswer,
  type JsonServer,
  type ProviderClient,
} from '../platform/http/provider-client.js'
import type { CoverageItem, CoverageQuery } from './coverage.js'
import type { OfferedNumber } from './inventory-number.js'
import type { MaskSearch } from './inventory-search.js'
import { fitsMask } from './number-mask.js'
import {
  NumberProviderError,
  type NumberSeller,
  type SellerAnswer,
  type SellerOrder,
  type SoldNumber,
} from './number-seller.js'

const MAX_TEXT = 100
const MAX_SENTENCE = 200
const MAX_GROUPS = 100_000
/** Page size of a search. */
const PAGE = 5_000
/** Time after which a search requests no further page, ms. */
const SEARCH_MS = 20_000
/** Maximum size of an answer, bytes. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
/** Statuses after which a retry may succeed, or the request may have succeeded. */
const MAY_PASS: ReadonlySet<number> = new Set([408, 425, 429])

const text = z
  .string()
  .trim()
  .max(MAX_TEXT)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u)
const e164 = z.string().regex(/^\+1[2-9][0-9]{2}[2-9][0-9]{6}$/)
const digits = z
  .union([z.string(), z.number().int()])
  .transform(String)
  .pipe(z.string().regex(/^[0-9]{0,5}$/))
/** Additional data that is not text is ignored. */
const place = text.nullish().catch(undefined)
const sentence = z
  .string()
  .transform((said) =>
    said
      .replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ')
      .trim()
      .slice(0, MAX_SENTENCE),
  )
  .optional()
  .catch(undefined)
const offer = z.object({
  number: e164,
  city: place,
  state: place,
  rateCenter: place,
  lata: digits.nullish().catch(undefined),
})
const offers = z.object({ numbers: z.array(offer).max(PAGE) })
const group = z.object({
  npa: digits.default(''),
  nxx: digits.default(''),
  block: digits.default(''),
  rateCenter: text.default(''),
  city: text.default(''),
  state: text.default(''),
  lata: digits.default(''),
  count: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
})
const groups = z.object({ groups: z.array(group).max(MAX_GROUPS) })
const capabilities = z.object({
  voice: z.boolean().default(true),
  sms: z.boolean().default(false),
  mms: z.boolean().default(false),
  fax: z.boolean().default(false),
})
const CALLS_ALONE = { voice: true, sms: false, mms: false, fax: false }
const outcome = z.object({
  number: e164,
  ordered: z.boolean(),
  reason: sentence,
  capabilities: capabilities.default(CALLS_ALONE).catch(CALLS_ALONE),
})
const orderAnswer = z.object({ numbers: z.array(outcome).max(1_000) })
const refusalBody = z.object({ message: sentence })

export function createHttpSeller(
  outbound: Pick<Outbound, 'request'>,
  server: JsonServer,
  clock: Pick<Clock, 'monotonic'> = systemClock,
): NumberSeller {
  const provider = createProviderClient(outbound, server, {
    name: 'the number provider',
    Failure: NumberProviderError,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  })
  return {
    search: (search) => searchPages(provider, search, clock),
    count: (query) => count(provider, query),
    order: async ({ key, numbers }) => {
      const headers = { 'Idempotency-Key': key }
      const answer = await provider.send('POST', '/orders', { numbers }, headers)
      return placedAnswer(provider, answer, numbers)
    },
    find: async ({ key, numbers }) => {
      const answer = await provider.send('GET', `/orders/${encodeURIComponent(key)}`)
      if (answer.status === 404) return undefined
      if (answer.status === 202) return { type: 'pending' }
      if (answer.status !== 200) throw provider.unexpected(answer)
      return outcomesOf(provider, answer, numbers)
    },
    giveBack: async (key, number) => {
      const path = `/orders/${encodeURIComponent(key)}/numbers/${encodeURIComponent(number)}`
      const answer = await provider.send('DELETE', path)
      if (answer.status >= 300 && answer.status !== 404) throw provider.unexpected(answer)
    },
  }
}

/** A 409 means that the order with this key is in progress. */
function placedAnswer(
  provider: ProviderClient,
  answer: JsonAnswer,
  numbers: SellerOrder['numbers'],
): SellerAnswer {
  const { status } = answer
  if (status === 200 || status === 201) return outcomesOf(provider, answer, numbers)
  if (status === 202 || status === 409) return { type: 'pending' }
  if (status < 400 || status >= 500 || MAY_PASS.has(status)) throw provider.unexpected(answer)
  return { type: 'refused', reason: textOf(refusalBody.safeParse(answer.body).data?.message) }
}

/** Returns one outcome for each ordered number; others are ignored. */
function outcomesOf(
  provider: ProviderClient,
  answer: JsonAnswer,
  numbers: SellerOrder['numbers'],
): SellerAnswer {
  const found = new Map(
    provider.read(orderAnswer, answer).numbers.map((each) => [each.number, each]),
  )
  const outcomes = numbers.map((number): SoldNumber => {
    const each = found.get(number)
    if (each === undefined)
      throw new NumberProviderError(`the number provider does not say what became of ${number}`)
    return each.ordered
      ? { type: 'sold', e164: number, capabilities: each.capabilities }
      : { type: 'refused', e164: number, reason: textOf(each.reason) }
  })
  return { type: 'answered', numbers: outcomes }
}

async function searchPages(
  provider: ProviderClient,
  { mask, filter, limit }: MaskSearch,
  clock: Pick<Clock, 'monotonic'>,
): Promise<readonly OfferedNumber[]> {
  const found: OfferedNumber[] = []
  const until = clock.monotonic() + SEARCH_MS
  let after = ''
  for (;;) {
    const wanted = Math.min(PAGE, limit - found.length)
    if (wanted <= 0) return found
    if (clock.monotonic() > until)
      throw new NumberProviderError('the number provider takes too long for so many numbers', {
        isRetryable: true,
      })
    const asked = { mask: mask.replaceAll('_', 'x'), ...filter, limit: String(wanted), after }
    const page = provider
      .read(offers, await get(provider, '/numbers', asked))
      .numbers.toSorted((a, b) => (a.number < b.number ? -1 : 1))
    const fitting = page.filter(({ number }) => number > after && fitsMask(mask, number.slice(2)))
    found.push(...fitting.slice(0, wanted).map(offeredOf))
    const last = page.at(-1)?.number ?? ''
    // A page without progress is the last one, whatever its length.
    if (page.length < wanted || last <= after || fitting.length === 0) return found
    after = last
  }
}

async function count(
  provider: ProviderClient,
  { countBy, filter }: CoverageQuery,
): Promise<readonly CoverageItem[]> {
  const answer = await get(provider, '/coverage', { countBy, ...filter })
  return provider.read(groups, answer).groups
}

async function get(
  provider: ProviderClient,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): Promise<JsonAnswer> {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  )
  const answer = await provider.send('GET', `${path}?${new URLSearchParams(given).toString()}`)
  if (answer.status !== 200) throw provider.unexpected(answer)
  return answer
}

/** Returns the text; undefined for none and for an empty one. */
function textOf(value: string | null | undefined): string | undefined {
  return value === '' || value === null ? undefined : value
}

function offeredOf(each: z.infer<typeof offer>): OfferedNumber {
  return {
    e164: each.number,
    locality: textOf(each.city),
    region: textOf(each.state),
    rateCenter: textOf(each.rateCenter),
    lata: textOf(each.lata),
  }
}
