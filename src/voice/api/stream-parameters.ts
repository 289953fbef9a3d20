/** `Parameter1.Name`, `Parameter1.Value` … `Parameter99.Value` of a form. Pure. */
import { ApiError } from './errors.js'
import type { FormFields } from './form.js'

const LAST = 99
/** Name and value of one together (documented). */
const MAX_CHARS = 500

export function parametersOf(fields: FormFields): Readonly<Record<string, string>> {
  const parameters = new Map<string, string>()
  for (let n = 1; n <= LAST; n += 1) {
    const name = textOf(fields[`Parameter${n}.Name`])
    if (name === '') continue
    const value = textOf(fields[`Parameter${n}.Value`])
    if (name.length + value.length > MAX_CHARS)
      throw new ApiError(400, 20422, `'Parameter${n}' is not valid: longer than ${MAX_CHARS}`)
    parameters.set(name, value)
  }
  return Object.fromEntries(parameters)
}

function textOf(field: FormFields[string] | undefined): string {
  return typeof field === 'string' ? field : (field?.at(-1) ?? '')
}
