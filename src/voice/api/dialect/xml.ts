/** Converts the JSON form of a response to XML. Pure. */

/** The root element that client libraries expect. */
const ROOT = 'TwilioResponse'
/** Page fields of an envelope; they become attributes of the list element. */
const PAGE_FIELDS: readonly string[] = [
  ...['page', 'page_size', 'num_pages', 'total', 'start', 'end', 'uri'],
  ...['first_page_uri', 'next_page_uri', 'previous_page_uri'],
]

/** Writes a body as XML; `name` is the resource's element, such as Call or Account. */
export function toXml(body: Readonly<Record<string, unknown>>, name: string): string {
  return `<?xml version='1.0' encoding='UTF-8'?>\n<${ROOT}>${contentOf(body, name)}</${ROOT}>`
}

function contentOf(body: Readonly<Record<string, unknown>>, name: string): string {
  if ('code' in body && 'more_info' in body) return element('RestException', body)
  const list = Object.entries(body).find(([, value]) => Array.isArray(value))
  if (list === undefined) return element(name, body)
  const [key, items] = list as [string, readonly unknown[]] // found as an array
  const attributes = PAGE_FIELDS.filter((field) => field in body).map(
    (field) => ` ${field.replaceAll('_', '')}="${text(body[field])}"`,
  )
  const tag = pascal(key)
  const one = tag.replace(/s$/, '')
  const content = items.map((item) => element(one, item)).join('')
  return `<${tag}${attributes.join('')}>${content}</${tag}>`
}

function element(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return `<${name}/>`
  if (Array.isArray(value))
    return `<${name}>${value.map((item) => element('Item', item)).join('')}</${name}>`
  if (typeof value !== 'object') return `<${name}>${text(value)}</${name}>`
  const content = Object.entries(value).map(([key, inner]) => element(pascal(key), inner))
  return `<${name}>${content.join('')}</${name}>`
}

/** Converts a field name to PascalCase and to a legal element name; customers choose some names. */
function pascal(field: string): string {
  const name = field
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
  return /^[A-Za-z_][\w.-]*$/.test(name) ? name : 'Field'
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Escapes a value and drops characters that XML cannot express (XML 1.0 §2.2). */
function text(value: unknown): string {
  if (value === null || value === undefined) return ''
  const plain = typeof value === 'string' ? value : JSON.stringify(value)
  return plain
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '')
}
