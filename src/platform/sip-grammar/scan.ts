/**
 * Reads a header value from left to right. Folding is undone before, so white space is SP or TAB.
 */
import { isIn, TOKEN, VALUE } from './characters.js'

export interface Cursor {
  readonly text: string
  at: number
}

/** Header parameters; names are lower case, and the object has no prototype that a peer could reach. */
export type Params = Record<string, string>

export function noParams(): Params {
  // A prototype-less object is a plain record, which the type of Object.create does not say.
  return Object.create(null) as Params
}

export function skipSpace(cursor: Cursor): void {
  for (;;) {
    const code = cursor.text.charCodeAt(cursor.at)
    if (code !== 0x20 && code !== 0x09) return
    cursor.at++
  }
}

export function isAtEnd(cursor: Cursor): boolean {
  return cursor.at >= cursor.text.length
}

/** Takes one character, with optional white space on both sides; false when another one is next. */
export function takeSeparator(cursor: Cursor, character: string): boolean {
  const before = cursor.at
  skipSpace(cursor)
  if (cursor.text[cursor.at] !== character) {
    cursor.at = before
    return false
  }
  cursor.at++
  skipSpace(cursor)
  return true
}

/** Reads the longest run of characters of the class, possibly empty. */
export function readRun(cursor: Cursor, characterClass: number): string {
  const start = cursor.at
  while (isIn(characterClass, cursor.text.charCodeAt(cursor.at))) cursor.at++
  return cursor.text.slice(start, cursor.at)
}

export function readToken(cursor: Cursor): string | undefined {
  const token = readRun(cursor, TOKEN)
  return token === '' ? undefined : token
}

/**
 * Reads a quoted string without its quotes and escapes; undefined when there is none or it never
 * ends.
 */
export function readQuoted(cursor: Cursor): string | undefined {
  const { text } = cursor
  if (text[cursor.at] !== '"') return undefined
  let content = ''
  let start = cursor.at + 1
  for (let i = start; i < text.length; i++) {
    const character = text[i]
    if (character === '"') {
      cursor.at = i + 1
      return content + text.slice(start, i)
    }
    if (character === '\\') {
      content += text.slice(start, i)
      start = i + 1
      i++
    }
  }
  return undefined
}

/**
 * Reads `*( SEMI name [ EQUAL value ] )`. Undefined when a parameter has no name or no value after
 * its `=`; the first of two with the same name counts.
 */
export function readParams(cursor: Cursor): Params | undefined {
  const params = noParams()
  while (takeSeparator(cursor, ';')) {
    const name = readToken(cursor)?.toLowerCase()
    if (name === undefined) return undefined
    let value: string | undefined = ''
    if (takeSeparator(cursor, '=')) {
      value = cursor.text[cursor.at] === '"' ? readQuoted(cursor) : readRun(cursor, VALUE)
      if (value === undefined || (value === '' && cursor.text[cursor.at - 1] !== '"'))
        return undefined
    }
    params[name] ??= value
  }
  return params
}

export function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

export function formatParams(params: Readonly<Record<string, string>>): string {
  let text = ''
  for (const name of Object.keys(params)) {
    const value = params[name] ?? ''
    const cursor: Cursor = { text: value, at: 0 }
    readRun(cursor, VALUE)
    text += value === '' ? `;${name}` : `;${name}=${isAtEnd(cursor) ? value : quote(value)}`
  }
  return text
}

/** Splits at commas outside quotes and angle brackets (RFC 3261 §7.3.1). */
export function splitList(value: string): string[] {
  if (!value.includes(',')) return [value.trim()]
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  let isBracketed = false
  for (let i = 0; i < value.length; i++) {
    const character = value[i]
    if (character === '\\' && isQuoted) i++
    else if (character === '"' && !isBracketed) isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '<') isBracketed = true
    else if (character === '>') isBracketed = false
    else if (character === ',' && !isBracketed) {
      parts.push(value.slice(start, i).trim())
      start = i + 1
    }
  }
  parts.push(value.slice(start).trim())
  return parts
}
