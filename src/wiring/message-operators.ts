/** Finds the operators of destinations: by a table of the operator of this server, then by look-ups. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isShortCode } from '../destinations/short-code.js'
import { createLookupProvider } from '../lookups/create-provider.js'
import { LookupError } from '../lookups/lookup-provider.js'
import {
  createLocalOperators,
  firstKnown,
  type OperatorLookup,
  operatorOfName,
} from '../messages/operator-lookup.js'
import type { Base } from './base.js'

/** The table in DATA_DIR: prefixes in E.164, each with the registry's number of its operator. */
const TABLE = 'message-operators.json'

/** Throws an Error that names the table when it cannot be read. */
export function operatorsOf(base: Base): OperatorLookup {
  const { config, dataDir, log } = base
  const local = createLocalOperators(readTable(join(dataDir, TABLE)))
  if (config.lookupProvider === undefined) return local
  const provider = createLookupProvider(base, config.lookupProvider)
  return firstKnown(local, {
    operatorOf: async (e164) => {
      // A short code is a service of every operator.
      if (isShortCode(e164)) return undefined
      try {
        return operatorOfName((await provider.route(e164, e164)).lec)
      } catch (err) {
        if (!(err instanceof LookupError)) throw err
        log.warn({ err }, 'could not look up the operator of a destination')
        return undefined
      }
    },
  })
}

function readTable(file: string): ReadonlyMap<string, number> {
  if (!existsSync(file)) return new Map()
  let rows: readonly (readonly [string, unknown])[]
  try {
    rows = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as object)
  } catch (cause) {
    throw new Error(`${file} is not JSON`, { cause })
  }
  return new Map(
    rows.map(([prefix, operator]) => {
      if (/^\+[1-9]\d{0,14}$/.test(prefix) && typeof operator === 'number')
        return [prefix, operator]
      throw new Error(`${file}: "${prefix}" must be a prefix such as "+1202555" with a number`)
    }),
  )
}
