/** Checks the optional attributes of a brand against the table of their names and types. Pure. */
import type { Tables } from '../data/tables.js'
import { type Problem, problem } from '../model/registry-error.js'
import { attributeOf, type BrandDetails } from './brand.js'

type DataType = Tables['optionalAttributes'][string]['dataType']

/** A value may be given as a text, as clients with typed forms do. */
const TYPES: Readonly<
  Record<DataType, { readonly expected: string; readonly isValue: (value: unknown) => boolean }>
> = {
  BOOLEAN: {
    expected: 'true or false',
    isValue: (value) => typeof value === 'boolean' || value === 'true' || value === 'false',
  },
  INTEGER: {
    expected: 'an integer',
    isValue: (value) => Number.isSafeInteger(value) || isText(value, /^-?\d{1,15}$/),
  },
  DECIMAL: {
    expected: 'a number',
    isValue: (value) => Number.isFinite(value) || isText(value, /^-?\d{1,15}(\.\d{1,15})?$/),
  },
  STRING: { expected: 'a text', isValue: (value) => typeof value === 'string' },
}

export function checkAttributes(brand: BrandDetails, { optionalAttributes }: Tables): Problem[] {
  const wrong = (sentence: string): Problem[] => [problem(501, ['optionalAttributes'], sentence)]
  return Object.keys(brand.optionalAttributes ?? {}).flatMap((name) => {
    if (!Object.hasOwn(optionalAttributes, name)) return wrong(`there is no attribute ${name}`)
    const type = TYPES[optionalAttributes[name]?.dataType ?? 'STRING']
    const value = attributeOf(brand, name) ?? ''
    return value === '' || type.isValue(value) ? [] : wrong(`${name} has to be ${type.expected}`)
  })
}

function isText(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value)
}
