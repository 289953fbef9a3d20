import type { Outbound, OutboundResponse } from '../../../src/platform/http/outbound.js'
import { OutboundError } from '../../../src/platform/http/outbound-error.js'
import type { OutboundRequest } from '../../../src/platform/http/outbound-request.js'
import type { SinkAnswer, SinkRequest } from '../http/http-sink.js'

/** A fault of the provider in place of its proper answer. */
export type Fault =
  /** The request is lost. */
  | 'lost'
  /** The request is executed, and its answer is lost. */
  | 'answer-lost'
  /** This answer replaces the request's execution. */
  | { readonly status: number; readonly body?: unknown }
  /** The request is executed, and this is the answer. */
  | { readonly obeyed: true; readonly status: number; readonly body: unknown }

interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly key: string
  readonly body: unknown
}

interface Reply {
  readonly status: number
  readonly body: unknown
}

/** A number provider as specified in docs/numbers.md, with its own numbers, for tests. */
export class FakeNumberProvider {
  /** Orderable numbers. */
  readonly stock = new Set<string>()
  /** Orders by key: the numbers of each that are not released yet. */
  readonly orders = new Map<string, Set<string>>()
  /** Number of orders placed per key; more than one is a fault of the caller. */
  readonly placed = new Map<string, number>()
  /** Released numbers. */
  readonly givenBack: string[] = []
  /** Requests in order, as `METHOD path`. */
  readonly requests: string[] = []
  /** Faults for the next requests of a method, in order. */
  readonly faults: { readonly method: string; readonly fault: Fault }[] = []
  readonly #results = new Map<string, object>()

  constructor(numbers: readonly string[]) {
    for (const number of numbers) this.stock.add(number)
  }

  fail(method: string, ...faults: readonly Fault[]): void {
    for (const fault of faults) this.faults.push({ method, fault })
  }

  /** Serves the provider inside the process. */
  get outbound(): Pick<Outbound, 'request'> {
    return {
      request: (request) => {
        const reply = this.#reply(askedBy(request))
        return reply === undefined
          ? Promise.reject(new OutboundError('response-timeout', request.url))
          : Promise.resolve(responseTo(request, reply))
      },
    }
  }

  /** Answers as the provider on an `HttpSink`. */
  answer(request: SinkRequest): SinkAnswer {
    const { pathname, searchParams } = new URL(request.target, 'http://provider')
    const key = request.headers['idempotency-key']
    const text = request.body.toString()
    const reply = this.#reply({
      method: request.method,
      path: decodeURIComponent(pathname),
      query: searchParams,
      key: typeof key === 'string' ? key : '',
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    })
    if (reply === undefined) return { drop: true }
    return { status: reply.status, body: JSON.stringify(reply.body ?? null) }
  }

  #reply(asked: Asked): Reply | undefined {
    this.requests.push(`${asked.method} ${asked.path}`)
    const at = this.faults.findIndex(({ method }) => method === asked.method)
    const fault = at === -1 ? undefined : this.faults.splice(at, 1)[0]?.fault
    if (fault === 'lost') return undefined
    if (fault === undefined) return this.#obey(asked)
    if (fault === 'answer-lost') {
      this.#obey(asked)
      return undefined
    }
    if ('obeyed' in fault) this.#obey(asked)
    return { status: fault.status, body: fault.body }
  }

  #obey({ method, path, query, key, body }: Asked): Reply {
    if (path === '/numbers') return this.#search(query)
    if (path === '/coverage') return { status: 200, body: { groups: this.#groups() } }
    if (method === 'POST') return this.#order(key, (body as { numbers: string[] }).numbers)
    const [, , named = '', , number = ''] = path.split('/')
    if (method === 'GET') {
      const result = this.#results.get(named)
      return { status: result === undefined ? 404 : 200, body: result }
    }
    const held = this.orders.get(named)
    if (held?.delete(number) !== true) return { status: 404, body: {} }
    this.givenBack.push(number)
    this.stock.add(number)
    return { status: 200, body: {} }
  }

  #search(query: URLSearchParams): Reply {
    const mask = new RegExp(`^\\+1${(query.get('mask') ?? '').replaceAll('x', '.')}$`)
    const numbers = [...this.stock]
      .filter((number) => mask.test(number) && number > (query.get('after') ?? ''))
      .toSorted()
      .slice(0, Number(query.get('limit')))
      .map((number) => ({ number, city: 'Reno', state: 'NV', rateCenter: 'RENO', lata: 720 }))
    return { status: 200, body: { numbers } }
  }

  #groups(): object[] {
    return [{ npa: '775', nxx: '555', state: 'NV', city: 'Reno', count: this.stock.size }]
  }

  #order(key: string, numbers: readonly string[]): Reply {
    const known = this.#results.get(key)
    if (known !== undefined) return { status: 200, body: known }
    const sold = new Set(numbers.filter((number) => this.stock.delete(number)))
    this.orders.set(key, sold)
    this.placed.set(key, (this.placed.get(key) ?? 0) + 1)
    const result = {
      numbers: numbers.map((number) =>
        sold.has(number)
          ? { number, ordered: true, capabilities: { sms: true } }
          : { number, ordered: false, reason: 'Sold to somebody else' },
      ),
    }
    this.#results.set(key, result)
    return { status: 201, body: result }
  }
}

function askedBy({ method, url, headers, body }: OutboundRequest): Asked {
  const { pathname, searchParams } = new URL(url)
  return {
    method,
    path: decodeURIComponent(pathname),
    query: searchParams,
    key: new Headers(headers).get('idempotency-key') ?? '',
    body: typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined,
  }
}

function responseTo({ url }: OutboundRequest, { status, body }: Reply): OutboundResponse {
  return {
    status,
    headers: new Headers(),
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? null)),
    url,
    timings: { connectMs: 0, headersMs: 0, totalMs: 0 },
  }
}
