import { z } from '@hono/zod-openapi'
import { expect, it } from 'vitest'
import type { Operation } from '../../../../src/platform/api/operation.js'
import { REGION_BASE, regionOperations } from '../../../../src/voice/api/sip/region-operations.js'
import { voiceOperations } from '../../../../src/voice/api/voice-api.js'
import { ERROR_CATALOGUE } from '../../../../src/voice/errors/error-catalogue.js'
import { answerFault, sentAnswer } from '../../../support/http/answer-fault.js'
import { Description } from '../../../support/http/description.js'
import { Junk } from '../../../support/http/junk.js'
import { prefixAfter, setUpEveryResource } from '../../../support/voice/every-resource.js'

const SEEDS = process.env['FUZZ_SEED']?.split(',').map(Number) ?? [1, 2, 3]
const ROUNDS = 12
/** The round in which resources begin to go. */
const FIRST_DELETES = 7

/** What the API says that every operation may answer, and a body too large or a busy server. */
const API = {
  errors: [400, 401, 403, 429],
  problem: z.strictObject({
    code: z.number().refine((code) => code in ERROR_CATALOGUE, 'a number of the catalogue'),
    message: z.string().min(1),
    more_info: z.url(),
    status: z.number(),
    detail: z.string().optional(),
  }),
}

const NUMBERS = ['+15005550001', '+14155550101', '+18005550100', '+442079460018']
const URLS = ['https://app.test/x', 'https://app.test/', '']
/** Values that a field of such a name takes; the first pattern that fits counts. */
const LIKELY: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(Phone)?Number$|^(To|From|CallerId|NearNumber)$/, NUMBERS],
  [/Method$/, ['GET', 'POST', 'post']],
  [
    /^(ConferenceStatusCallback|RecordingStatusCallback|ConferenceRecording.*)Event$/,
    ['completed'],
  ],
  [/Event$/, ['initiated', 'completed', 'answered completed']],
  [/Url$|Callback$/, URLS],
  [/^(Markup|Twiml)$/, ['<Response><Say>a</Say></Response>', '<Response/>']],
  [/^DomainName$/, ['a.sip.test', 'b.sip.test', 'region.sip.test']],
  [/^IpAddress$/, ['192.0.2.1', '2001:db8::1']],
  [/^Password$/, ['IWasAtSignal2018']],
  [/^Status$/, ['completed', 'canceled', 'stopped', 'paused', 'in-progress']],
  [/^(Start|End)Time|^Date|^MessageDate/, ['2026-11-21', '2026-11-21T00:00:00Z']],
  [/^Page$/, ['0', '1', '999999999']],
  [/^PageToken$/, ['']],
  [/Size$|Length$|Delay$|Limit$|Timeout|^Log$|Seconds$|Distance/, ['1', '2', '5', '32', '1000']],
  [/Channels$/, ['mono', 'dual']],
  [/^Track$|Track$/, ['both', 'inbound', 'inbound_track']],
  [/^VoiceRegion$/, ['ie1', 'us1']],
  [/^AreaCode$/, ['415']],
  [/^Contains$/, ['415', '*555']],
  // An allowed address would shut the test out.
  [/^AllowCidr$/, ['', 'nonsense']],
]

/** The prefixes of the sids that forms have. */
const SID_FIELDS: Readonly<Record<string, string>> = {
  ...{ ApplicationSid: 'AP', VoiceApplicationSid: 'AP', SmsApplicationSid: 'AP' },
  ...{ CredentialListSid: 'CL', IpAccessControlListSid: 'AL', CallSid: 'CA', ConferenceSid: 'CF' },
}

const namesOf = (schema: unknown): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : []

/** Paths end in another resource's name where a parameter is empty or has a slash. */
const asSegment = (text: string) => encodeURIComponent(text === '' ? '0' : text)

async function setUp() {
  const bench = await setUpEveryResource()
  const { sid, secret } = bench.account
  const header = `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`
  const operations = [
    ...voiceOperations(bench).map((each) => ({ base: '/2010-04-01', operation: each })),
    ...regionOperations(bench.sip.domains).map((each) => ({ base: REGION_BASE, operation: each })),
  ]
  return { ...bench, header, description: new Description(bench.app), operations }
}

type Bench = Awaited<ReturnType<typeof setUp>>

/** Request by request, what a client of a seed sends to one operation. */
class Fuzz {
  readonly #junk: Junk
  readonly #bench: Bench
  /** How often a field of the present request has junk. */
  #wrongShare = 0

  constructor(seed: number, bench: Bench) {
    this.#junk = new Junk(seed, [...NUMBERS, ...URLS, 'true', 'false', '1', 'a.sip.test'])
    this.#bench = bench
  }

  /** Begins a request: half of them have likely values only. */
  begin(): void {
    this.#wrongShare = this.#junk.pick([0, 0, 0.1, 0.5])
  }

  path({ path, aliases }: Operation<never>): string {
    const template = this.#junk.pick([path, ...aliases])
    let whole = ''
    for (const segment of template.split('/').slice(1))
      whole += `/${segment.startsWith('{') ? asSegment(this.#segment(segment, whole)) : segment}`
    return whole
  }

  fields(schema: unknown): URLSearchParams {
    const fields = new URLSearchParams()
    for (const name of namesOf(schema)) {
      if (this.#junk.chance(0.5)) continue
      fields.append(name, this.#value(name))
      if (this.#junk.chance(0.05)) fields.append(name, this.#value(name))
    }
    return fields
  }

  isJson(): boolean {
    return this.#junk.chance(0.15)
  }

  #segment(parameter: string, before: string): string {
    if (parameter === '{AccountSid}') return this.#bench.account.sid
    if (this.#junk.chance(this.#wrongShare)) return this.#junk.text()
    if (parameter === '{SipDomain}') return this.#junk.pick(['owner.sip.test', 'b.sip.test'])
    if (parameter === '{Date}') return '2026-11-01'
    if (parameter === '{CountryCode}') return this.#junk.pick(['US', 'GB', 'XX'])
    return this.#sid(prefixAfter(before) ?? '')
  }

  #sid(prefix: string): string {
    const known = this.#bench.sids.filter((sid) => sid.startsWith(prefix))
    // The first one of a kind has the others of its family: the list its members, the call its stream.
    return this.#junk.chance(0.5) ? (known[0] ?? '0') : this.#junk.pick([...known, '0'])
  }

  #value(name: string): string {
    if (this.#junk.chance(this.#wrongShare)) return this.#junk.text()
    const likely = LIKELY.find(([pattern]) => pattern.test(name))?.[1]
    if (likely !== undefined) return this.#junk.pick(likely)
    if (name.endsWith('Sid')) return this.#sid(SID_FIELDS[name] ?? '')
    return this.#junk.pick(['true', 'false', 'a name', '7'])
  }
}

/** Sends one request; resolves with the answer's fault, and whether it was a success. */
async function send(
  bench: Bench,
  fuzz: Fuzz,
  { base, operation }: Bench['operations'][number],
): Promise<{ readonly fault: string | undefined; readonly isAccepted: boolean }> {
  fuzz.begin()
  const query = fuzz.fields(operation.query).toString()
  const url = `${base}${fuzz.path(operation)}.json${query === '' ? '' : `?${query}`}`
  const fields = fuzz.fields(operation.body)
  const isJson = fuzz.isJson()
  const body = isJson ? JSON.stringify(Object.fromEntries(fields)) : fields.toString()
  const method = operation.method.toUpperCase()
  const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded'
  const response = await bench.app.request(url, {
    method,
    headers: { authorization: bench.header, 'content-type': type },
    ...(method === 'GET' ? {} : { body }),
  })
  const answer = await sentAnswer(response)
  for (const [sid] of answer.text.matchAll(/\b(?!AC)[A-Z]{2}[0-9a-f]{32}\b/g))
    if (!bench.sids.includes(sid)) bench.sids.push(sid)
  const fault =
    answerFault(operation, API, answer) ??
    bench.description.faultOf(method, base + operation.path, answer)
  const what = `${operation.id}: ${method} ${url} ${method === 'GET' ? '' : body}`
  return { fault: fault && `${what}\n→ ${fault}`, isAccepted: response.ok }
}

it.each(
  SEEDS,
)('every operation answers what is nearly right as its description says, seed %i', async (seed) => {
  await using bench = await setUp()
  const fuzz = new Fuzz(seed, bench)
  const faults = new Map<string, string>()
  const accepted = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1)
    for (const each of bench.operations) {
      if (each.operation.method === 'delete' && round < FIRST_DELETES) continue
      const { fault, isAccepted } = await send(bench, fuzz, each)
      if (fault !== undefined) faults.set(each.operation.id, fault)
      if (isAccepted) accepted.add(each.operation.id)
    }
  expect([...faults.values()]).toEqual([])
  // The requests did get past the parsing.
  expect(accepted.size).toBeGreaterThan(bench.operations.length * 0.65)
}, 60_000)
