import { countCharacters } from '../../../platform/text.js'
import { readAttributes } from './attributes.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** A parameter that the document sends with a stream. Names may repeat. */
export interface Parameter {
  readonly name: string
  readonly value: string
}

/** The most characters of one parameter's name and value together (documented). */
const MAX_LENGTH = 500
const SCHEMA_WARNING = 12200

/** Reads the Parameter children. One without a name or with too much text is a warning. */
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
