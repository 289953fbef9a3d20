const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', s: ' ' }

/**
 * Splits an argument as FreeSWITCH does: at the delimiter, except inside single quotes or behind a backslash.
 * Then removes quotes, and the spaces around each part. The last of `limit` parts contains the rest. Several
 * spaces count as one delimiter.
 */
export function separate(text: string, delimiter: string, limit = 256): string[] {
  const parts: string[] = []
  let rest = delimiter === ' ' ? text.trimStart() : text
  while (rest !== '') {
    const end = parts.length + 1 < limit ? delimiterAt(rest, delimiter) : -1
    parts.push(unquote(end === -1 ? rest : rest.slice(0, end), delimiter))
    if (end === -1) break
    rest = rest.slice(end + 1)
    if (delimiter === ' ') rest = rest.trimStart()
  }
  return parts
}

function delimiterAt(text: string, delimiter: string): number {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (character === "'" && (isQuoted || delimiter === ' ' || text.includes("'", at + 1)))
      isQuoted = !isQuoted
    else if (character === delimiter && !isQuoted) return at
  }
  return -1
}

function unquote(text: string, delimiter: string): string {
  let plain = ''
  /** The length up to the last character that is not an unquoted space. */
  let end = 0
  let isQuoted = false
  const trimmed = text.replace(/^ +/, '')
  for (let at = 0; at < trimmed.length; at++) {
    const character = trimmed[at] ?? ''
    const escaped = character === '\\' ? escapeOf(trimmed[at + 1] ?? '', delimiter) : undefined
    if (escaped !== undefined) {
      plain += escaped
      end = plain.length
      at++
    } else if (character === "'" && (isQuoted || trimmed.includes("'", at + 1))) {
      isQuoted = !isQuoted
      if (isQuoted) end = plain.length
    } else {
      plain += character
      if (character !== ' ' || isQuoted) end = plain.length
    }
  }
  return plain.slice(0, end)
}

function escapeOf(character: string, delimiter: string): string | undefined {
  const isDelimiter = delimiter !== ' ' && character === delimiter
  if (character === "'" || character === '"' || character === '\\' || isDelimiter) return character
  return ESCAPES[character]
}
