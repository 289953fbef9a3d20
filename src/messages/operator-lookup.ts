/** Finds the mobile operator that serves a destination: its rate and its daily cap hold there. */

export interface OperatorLookup {
  /**
   * Resolves with the registry's number of the operator; undefined when it is not known. It never
   * rejects, since a message is not held back by a look-up.
   */
  operatorOf(e164: string): Promise<number | undefined>
}

/** Knows no operator. */
export const UNKNOWN_OPERATORS: OperatorLookup = { operatorOf: () => Promise.resolve(undefined) }

/**
 * Asks for the operator of one destination, and knows it from then on: for a message that is made
 * within a transaction, where nobody waits for another server.
 */
export async function askedAhead(operators: OperatorLookup, to: string): Promise<OperatorLookup> {
  const operator = await operators.operatorOf(to)
  return {
    operatorOf: (e164) => (e164 === to ? Promise.resolve(operator) : operators.operatorOf(e164)),
  }
}

const LONGEST = 16

/** Knows the operators of the prefixes in a table, the longest first: `+1202555` → 10035. */
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

/** The names that carriers have in look-ups of routes, with the registry's numbers of operators. */
const NAMES: readonly (readonly [RegExp, number])[] = [
  [/\bat\s*(?:&|and)\s*t\b|\batt\b|cingular/i, 10017],
  [/t-?mobile|metro\s?pcs|sprint/i, 10035],
  [/u\.?\s?s\.?\s+cellular|united states cellular/i, 10037],
  [/verizon wireless|cellco/i, 10038],
]

/** The operator of a carrier's name; undefined for any other carrier. */
export function operatorOfName(name: string): number | undefined {
  return NAMES.find(([pattern]) => pattern.test(name))?.[1]
}

/** Asks each in turn until one knows the operator. */
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
