import { readAttributes } from './attributes.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** A parameter that the document sends with a stream. Names may repeat. */
export interface Parameter {
  readonly name: string
  readonly value: string
}

/** Name and value of one together (documented). */
const MAX_LENGTH = 500
const SCHEMA_WARNING = 12200

/** The Parameter children that have a name and are not too long; the others are warnings. */
export function parseParameters(element: XmlElement, warn: Warn): readonly Parameter[] {
  return element.children.flatMap((child): Parameter[] => {
    if (child.type === 'text' || child.name !== 'Parameter') return []
    const read = readAttributes(child, warn)
    const [name = '', value = ''] = [read.text('name'), read.text('value')]
    if (name === '') {
      warn(SCHEMA_WARNING, `${element.name}: a Parameter has no name; ignored`)
      return []
    }
    if (name.length + value.length > MAX_LENGTH) {
      const start = name.slice(0, 40)
      warn(SCHEMA_WARNING, `${element.name}: Parameter "${start}" is too long; ignored`)
      return []
    }
    return [{ name, value }]
  })
}
