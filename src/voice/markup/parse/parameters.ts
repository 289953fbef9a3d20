import { countCharacters } from '../../../platform/text.js'
import { readAttributes } from './attributes.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** A parameter that the document sends to a stream or an application. Names may repeat. */
export interface Parameter {
  readonly name: string
  readonly value: string
}

/** Maximum length of one parameter's name and value together, in characters (documented). */
const MAX_LENGTH = 500
const SCHEMA_WARNING = 12200

/** Reads the Parameter children. Warns about one without a name or with too much text. */
export function parseParameters(element: XmlElement, warn: Warn): readonly Parameter[] {
  return element.children.flatMap((child): Parameter[] => {
    if (child.type === 'text' || child.name !== 'Parameter') return []
    const read = readAttributes(child, warn)
    const [name = '', value = ''] = [read.text('name'), read.text('value')]
    if (name === '') {
      warn(SCHEMA_WARNING, `${element.name}: a Parameter has no name; ignored`)
      return []
    }
    if (countCharacters(name + value) > MAX_LENGTH) {
      const start = name.slice(0, 40)
      warn(SCHEMA_WARNING, `${element.name}: Parameter "${start}" is too long; ignored`)
      return []
    }
    return [{ name, value }]
  })
}
