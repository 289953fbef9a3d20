/** Looks up the mobile operator of a destination, whose rate and daily cap apply. */

export interface OperatorLookup {
  /**
   * Resolves with the registry's number of the operator; undefined when unknown. Never rejects, since a look-up
   * must not block a message.
   */
  operatorOf(e164: string): Promise<number | undefined>
}

/** A look-up that knows no operator. */
export const UNKNOWN_OPERATORS: OperatorLookup = { operatorOf: () => Promise.resolve(undefined) }

/**
 * Looks up one destination and returns a look-up with the cached result, for use inside a transaction, which
 * must not wait for another server.
 */
export async function askedAhead(operators: OperatorLookup, to: string): Promise<OperatorLookup> {
  const operator = await operators.operatorOf(to)
  return {
    operatorOf: (e164) => (e164 === to ? Promise.resolve(operator) : operators.operatorOf(e164)),
  }
}

const LONGEST = 16

/** Returns a look-up by longest prefix in a table: `+1202555` → 10035. */
export function createLocalOperators(table: ReadonlyMap<string, number>): OperatorLookup {
  return {
    operatorOf: (e164) => {
      for (let length = Math.min(LONGEST, e164.length); length > 1; length -= 1) {
        const found = table.get(e164.slice(0, length))
        if (found !== undefined) return Promise.resolve(found)
      }
      return Promise.resolve(undefined)
    },
  }
}

/** Carrier names in routing look-ups, with the registry's operator numbers. */
const NAMES: readonly (readonly [RegExp, number])[] = [
  [/\bat\s*(?:&|and)\s*t\b|\batt\b|cingular/i, 10017],
  [/t-?mobile|metro\s?pcs|sprint/i, 10035],
  [/u\.?\s?s\.?\s+cellular|united states cellular/i, 10037],
  [/verizon wireless|cellco/i, 10038],
]

/** Returns the operator of a carrier's name; undefined for unknown carriers. */
export function operatorOfName(name: string): number | undefined {
  return NAMES.find(([pattern]) => pattern.test(name))?.[1]
}

/** Returns a look-up that asks each in turn until one knows the operator. */
export function firstKnown(...lookups: readonly OperatorLookup[]): OperatorLookup {
  return {
    operatorOf: async (e164) => {
      for (const lookup of lookups) {
        const found = await lookup.operatorOf(e164)
        if (found !== undefined) return found
      }
      return undefined
    },
  }
}
