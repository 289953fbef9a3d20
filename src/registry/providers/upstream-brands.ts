/** Brands at the upstream registry, where our identifier is their `referenceId`. */
import { AdapterError } from '../../platform/errors.js'
import { BRAND_TEXTS, type BrandField } from '../rules/brand.js'
import { IDENTITY_FIELDS } from '../rules/update-brand.js'
import type { Brand } from '../storage/brands.js'
import { type RegistryClient, UpstreamRefusal } from './registry-client.js'
import type { UpstreamBrands } from './upstream-partner.js'

export type AnsweredRecord = Readonly<Record<string, unknown>>

/** Resolves with the brand's upstream record; undefined when it does not exist or is deleted. */
export async function findBrandThere(
  client: RegistryClient,
  brand: Brand,
  signal: AbortSignal,
): Promise<AnsweredRecord | undefined> {
  const query = `/brand?referenceId=${encodeURIComponent(brand.brandId)}`
  return firstRecord(await client.call('GET', query, undefined, signal))
}

export function createUpstreamBrands(client: RegistryClient): UpstreamBrands {
  return {
    update: async (brand, signal) => {
      await update(client, brand, signal)
    },
    revet: async (brand, signal) => {
      // Send the correction first: the re-vet is based on it.
      const id = await update(client, brand, signal)
      if (id !== undefined) await revet(client, id, signal)
    },
    remove: async (brand, signal) => {
      const there = await findBrandThere(client, brand, signal)
      if (there === undefined) return
      await client.call('DELETE', `/brand/${textOf(there['brandId'])}`, undefined, signal)
    },
  }
}

/**
 * Updates the brand upstream; resolves with its upstream identifier, or undefined when it does not
 * exist there. When some fields are locked, the others are sent before the UpstreamRefusal is
 * thrown.
 */
async function update(
  client: RegistryClient,
  { details, ...brand }: Brand,
  signal: AbortSignal,
): Promise<string | undefined> {
  const there = await findBrandThere(client, { details, ...brand }, signal)
  if (there === undefined) return undefined
  const id = textOf(there['brandId'])
  const wanted = {
    ...details,
    ...withNulls([...BRAND_TEXTS, 'optionalAttributes'], details),
    referenceId: brand.brandId,
  }
  // Skip a PUT that an earlier attempt sent before a crash: upstream would count a second change.
  if (!differs(there, wanted)) return id
  const put = (facts: AnsweredRecord) => client.call('PUT', `/brand/${id}`, facts, signal)
  try {
    await put(wanted)
  } catch (error) {
    const locked = lockedFields(error)
    const others = { ...wanted, ...Object.fromEntries(locked.map((name) => [name, there[name]])) }
    if (locked.length > 0 && differs(there, others)) await put(others)
    throw error
  }
  return id
}

/** The first record of a list; undefined when the list is empty. */
export function firstRecord(list: AnsweredRecord): AnsweredRecord | undefined {
  const { records } = list as { readonly records?: unknown } // read by name, checked here
  const first: unknown = Array.isArray(records) ? records[0] : undefined
  return typeof first === 'object' && first !== null
    ? (first as AnsweredRecord) // an object
    : undefined
}

export function textOf(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new AdapterError('the upstream registry gave no identifier')
}

/** True when the record differs from the wanted values; null, absent and empty are equal. */
export function differs(there: AnsweredRecord, wanted: AnsweredRecord): boolean {
  return Object.entries(wanted).some(([name, value]) => canonical(there[name]) !== canonical(value))
}

/** Normalizes a value: a record without keys is the same as null. */
function canonical(value: unknown): string {
  const text = value === undefined || value === null || value === '' ? '' : JSON.stringify(value)
  return text === '{}' ? '' : text
}

/** Returns the named fields, null when unset: a PUT clears a null field and keeps an absent one. */
export function withNulls<Field extends string>(
  fields: readonly Field[],
  values: Readonly<Partial<Record<Field, unknown>>>,
): Record<string, unknown> {
  return Object.fromEntries(fields.map((name) => [name, values[name] ?? null]))
}

/** The fields that the upstream registry does not change, by the code of its refusal. */
const LOCKED = new Map<number, readonly BrandField[]>([
  [528, ['brandRelationship']],
  [537, IDENTITY_FIELDS],
])

function lockedFields(error: unknown): BrandField[] {
  return error instanceof UpstreamRefusal
    ? error.codes.flatMap((code) => LOCKED.get(code) ?? [])
    : []
}

async function revet(client: RegistryClient, id: string, signal: AbortSignal): Promise<void> {
  try {
    await client.call('PUT', `/brand/${id}/revet`, undefined, signal)
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    // Code 525: these facts were scored before, or the answer to the first re-vet was lost.
    if (error.codes.includes(525)) return
    if (!error.codes.includes(527)) throw error
    throw new AdapterError(`brand ${id} is being scored upstream`, {
      cause: error,
      isRetryable: true,
    })
  }
}
