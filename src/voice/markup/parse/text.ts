import type { XmlElement } from './xml.js'

/** All text inside an element and its descendants, with white space as written. */
export function textOf(element: XmlElement): string {
  return element.children
    .map((child) => (child.type === 'text' ? child.text : textOf(child)))
    .join('')
}

/** The text without white space at its ends, and with one space for each run of white space. */
export function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
