/** Generates seeded values for fuzzing: valid, almost valid, and invalid for a JSON schema. */

/** A small random generator that is identical on every machine (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

const TEXTS = [
  '',
  ' ',
  'STOP',
  'a'.repeat(45),
  'b'.repeat(2_100),
  '+12025550143',
  '12025550143',
  'US',
  'TX',
  '78701',
  'jane.doe@acme.example',
  'https://www.acme.example/?a=%zz',
  'http://[::1]:99999/',
  '2026-02-30T99:99:99Z',
  '@OTP_PIN@',
  '\u0000',
  '\ufeff\u202e𝕬',
  "'; drop table registry_brands; --",
  '__proto__',
  '%2e%2e%2f',
]
const WRONG = [null, true, -1, 0, 1.5, 1e308, 2 ** 53, [], {}, [[]], [null], { length: -1 }]

export class Junk {
  readonly #random: () => number
  readonly #known: readonly string[]

  /** `known`: texts with a meaning, such as identifiers and enumeration values. */
  constructor(seed: number, known: readonly string[]) {
    this.#random = seededRandom(seed)
    this.#known = known
  }

  chance(probability: number): boolean {
    return this.#random() < probability
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  text(): string {
    return this.chance(0.6) ? this.pick(this.#known) : this.pick(TEXTS)
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)))
  }

  /** A value that usually matches the schema. */
  value(schema: JsonSchema): unknown {
    if (this.chance(0.07)) return this.chance(0.5) ? this.pick(WRONG.slice(1)) : null
    const choices = schema.anyOf ?? schema.oneOf
    if (choices !== undefined) return this.value(this.pick(choices))
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return this.pick(schema.enum)
    if (schema.type === 'object') return this.#object(schema)
    if (schema.type === 'array')
      return Array.from({ length: this.below(4) }, () => this.value(schema.items ?? {}))
    if (schema.type === 'boolean') return this.chance(0.5)
    if (schema.type === 'integer' || schema.type === 'number') return this.#number(schema)
    return this.#string(schema)
  }

  #object({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> {
    const entries = Object.entries(properties)
      .filter(([name]) => this.chance(required.includes(name) ? 0.97 : 0.5))
      .map(([name, schema]) => [name, this.value(schema)])
    if (this.chance(0.05)) entries.push([this.text(), this.text()])
    return Object.fromEntries(entries) as Record<string, unknown> // pairs of a name and a value
  }

  #number({ minimum = 0, maximum = 20_000 }: JsonSchema): number {
    const from = Math.max(minimum, -1_000)
    const to = Math.min(maximum, 20_000)
    return this.pick([from, to, from + this.below(Math.max(1, to - from)), maximum + 1])
  }

  #string({ minLength = 0, maxLength = 6_000 }: JsonSchema): string {
    const text = this.text()
    if (this.chance(0.1)) return 'é'.repeat(Math.min(maxLength, 6_000) + this.below(2))
    return this.chance(0.9) ? text.padEnd(minLength, ' and so on').slice(0, maxLength) : text
  }
}
