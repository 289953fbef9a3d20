/**
 * Reads the document that answers a message: its `Message` and `Sms` elements, with their `Body` and `Media`.
 * Ignores other elements. Never throws.
 */
import { readXml, type XmlElement, type XmlNode } from './parse/xml.js'

export interface MessageReply {
  readonly body: string
  readonly mediaUrls: readonly string[]
  readonly to: string | undefined
  readonly from: string | undefined
  readonly statusCallback: string | undefined
}

export function readMessageDocument(text: string): readonly MessageReply[] {
  if (text.trim() === '') return []
  const root = readXml(text)
  if (root.type === 'failure' || root.name !== 'Response') return []
  return root.children.flatMap((child) =>
    child.type === 'element' && ['Message', 'Sms'].includes(child.name) ? replyOf(child) : [],
  )
}

function replyOf(element: XmlElement): readonly MessageReply[] {
  const named = (name: string) =>
    element.children.filter(
      (child): child is XmlElement => child.type === 'element' && child.name === name,
    )
  const bodies = named('Body')
  const mediaUrls = named('Media').flatMap((media) => textOf(media.children) || [])
  const body = textOf(
    bodies.length === 0 ? element.children : bodies.flatMap((each) => each.children),
  )
  if (body === '' && mediaUrls.length === 0) return []
  const attribute = (name: string) => {
    const value = element.attributes.get(name)
    return value === '' ? undefined : value
  }
  return [
    {
      body,
      mediaUrls,
      to: attribute('to'),
      from: attribute('from'),
      statusCallback: attribute('statusCallback'),
    },
  ]
}

function textOf(nodes: readonly XmlNode[]): string {
  return nodes
    .map((node) => (node.type === 'text' ? node.text : ''))
    .join('')
    .trim()
}
