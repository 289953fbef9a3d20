import type { XmlElement } from './xml.js'

/** All text inside an element, elements' borders forgotten, white space as XML wrote it. */
export function textOf(element: XmlElement): string {
  return element.children
    .map((child) => (child.type === 'text' ? child.text : textOf(child)))
    .join('')
}

/** The text without margins, each run of white space one space. */
export function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
