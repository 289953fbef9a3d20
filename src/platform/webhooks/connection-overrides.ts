/**
 * How a customer tunes the connection to a web server: `#rc=2&rp=4xx,ct&ct=2000` behind its URL.
 *
 * | key | means | values | default |
 * |---|---|---|---|
 * | `rc` | retries | 0–5 | 1 |
 * | `rp` | what is retried, comma-separated | `4xx` `5xx` `ct` `rt` `all` | `ct` |
 * | `ct` | connect time, ms | 100–10000 | 5000 |
 * | `rt` | response time, ms | 100–15000 | 15000 |
 * | `tt` | total time, ms | 100–15000 | 15000 |
 * | `sni` | whether TLS names the server | `y` `n` | `y` |
 * | `e` | an edge to come from | any | – |
 *
 * A callback whose URL names no `rc` is tried again on the schedule of the outbox, too.
 *
 * There is one edge here, so `e` changes nothing. Other keys are left alone: a fragment may mean
 * something else altogether. Pure.
 */

export type RetryCause = '4xx' | '5xx' | 'ct' | 'rt'

export interface ConnectionOverrides {
  readonly retries: number
  readonly retryOn: ReadonlySet<RetryCause>
  readonly connectTimeoutMs: number
  readonly responseTimeoutMs: number
  readonly totalTimeoutMs: number
  readonly serverName: 'sent' | 'omitted'
}

/** A value out of range; its default is used instead. */
export interface OverrideProblem {
  readonly code: 11240 | 11241 | 11242 | 11243
  readonly name: string
  readonly value: string
}

export interface ParsedOverrides {
  readonly overrides: ConnectionOverrides
  readonly problems: readonly OverrideProblem[]
  /** True when the customer set a valid number of retries. */
  readonly isRetryCountGiven: boolean
}

const CAUSES: readonly RetryCause[] = ['4xx', '5xx', 'ct', 'rt']

/** Parses a `fragment`, with or without its `#`. */
export function parseConnectionOverrides(fragment: string): ParsedOverrides {
  const given = new URLSearchParams(fragment.replace(/^#/, ''))
  const problems: OverrideProblem[] = []
  const integer = (
    name: string,
    limits: readonly [min: number, max: number],
    otherwise: number,
    code: OverrideProblem['code'],
  ): number => {
    const value = given.get(name)
    if (value === null) return otherwise
    const number = /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN
    if (number >= limits[0] && number <= limits[1]) return number
    problems.push({ code, name, value })
    return otherwise
  }
  const overrides: ConnectionOverrides = {
    connectTimeoutMs: integer('ct', [100, 10_000], 5_000, 11240),
    responseTimeoutMs: integer('rt', [100, 15_000], 15_000, 11241),
    totalTimeoutMs: integer('tt', [100, 15_000], 15_000, 11241),
    retries: integer('rc', [0, 5], 1, 11242),
    retryOn: retryCauses(given.get('rp'), problems),
    serverName: given.get('sni')?.toLowerCase() === 'n' ? 'omitted' : 'sent',
  }
  const isRetryCountGiven = given.has('rc') && !problems.some(({ name }) => name === 'rc')
  return { overrides, problems, isRetryCountGiven }
}

/** The fragment of a URL without its `#`; empty when it has none. */
export function fragmentOf(url: string): string {
  const hash = url.indexOf('#')
  return hash === -1 ? '' : url.slice(hash + 1)
}

function retryCauses(value: string | null, problems: OverrideProblem[]): ReadonlySet<RetryCause> {
  if (value === null) return new Set(['ct'])
  const words = value
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
  if (words.includes('all')) return new Set(CAUSES)
  const causes = CAUSES.filter((cause) => words.includes(cause))
  if (causes.length === new Set(words).size) return new Set(causes)
  problems.push({ code: 11243, name: 'rp', value })
  return new Set(['ct'])
}
