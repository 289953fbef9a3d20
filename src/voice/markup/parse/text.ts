import type { XmlElement } from './xml.js'

/** Returns all text inside an element and its descendants, with white space as written. */
export function textOf(element: XmlElement): string {
  return element.children
    .map((child) => (child.type === 'text' ? child.text : textOf(child)))
    .join('')
}

/** Trims the text and replaces each run of white space by one space. */
export function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
