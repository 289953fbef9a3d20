import type { MarkupHost } from '../host.js'
import { collapse, textOf } from '../parse/text.js'
import type { Verb } from '../parse/verb.js'

const MAX_TEXT = 500

/** Logs the start of a verb, as written, in the call's event log. */
export function logVerb({ element }: Verb, host: MarkupHost): void {
  const text = collapse(textOf(element)).slice(0, MAX_TEXT)
  host.log({
    type: 'verb',
    verb: element.name,
    attributes: Object.fromEntries(element.attributes),
    ...(text === '' ? {} : { text }),
  })
}
