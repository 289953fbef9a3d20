export interface Expansion {
  /** Returns a variable's value; undefined stands for an empty text. */
  variable(name: string): string | undefined
  /** Returns the text that replaces `${name args}` or `${name(args)}`, which ask for a command. */
  command(name: string, args: string): string
}

/** The depth to which `${…}` inside values is replaced; deeper ones stay as they are. */
const MAX_DEPTH = 16
/** The longest result: values can grow by referring to each other. */
const MAX_CHARACTERS = 65_536

/**
 * Replaces `${name}`, `${name:offset:length}` and `$${name}` in an application's argument, and
 * `${command args}` by the result of `command`. `\$` stays a dollar, `\'` is dropped, `\\` stays.
 */
export function expandVariables(text: string, expansion: Expansion, depth = 0): string {
  if (depth > MAX_DEPTH || !text.includes('$')) return text
  let expanded = ''
  let at = 0
  while (at < text.length && expanded.length <= MAX_CHARACTERS) {
    const rest = readPiece(text, at)
    expanded +=
      rest.expression === undefined ? rest.plain : value(rest.expression, expansion, depth)
    at = rest.end
  }
  return expanded
}

interface Piece {
  readonly plain: string
  readonly expression?: string
  readonly end: number
}

function readPiece(text: string, at: number): Piece {
  const two = text.slice(at, at + 2)
  if (two === '\\$') {
    const end = text[at + 2] === '$' ? at + 3 : at + 2
    return { plain: '$', end }
  }
  if (two === "\\'") return { plain: '', end: at + 2 }
  if (two === '\\\\') return { plain: '\\', end: at + 2 }
  const open = two === '$$' ? at + 2 : at + 1
  if (text[at] !== '$' || text[open] !== '{') return { plain: text[at] ?? '', end: at + 1 }
  const close = closingBrace(text, open)
  return { plain: '', expression: text.slice(open + 1, close), end: close + 1 }
}

/** The position of the brace that closes the one at `open`; the end of the text when none does. */
function closingBrace(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++
    if (text[at] === '}' && --depth === 0) return at
  }
  return text.length
}

function value(expression: string, expansion: Expansion, depth: number): string {
  const call = /^([^ (]*)[ (]/.exec(expression)
  if (call?.[1] !== undefined) {
    const args = expression.slice(call[0].length).replace(/\)$/, '')
    return expansion.command(
      expandVariables(call[1], expansion, depth + 1),
      expandVariables(args, expansion, depth + 1),
    )
  }
  const [name = '', offset, length] = expandVariables(expression, expansion, depth + 1).split(':')
  const whole = expandVariables(expansion.variable(name) ?? '', expansion, depth + 1)
  return substring(whole, Number(offset ?? 0), Number(length ?? 0))
}

/** Cuts a part out of a text. A negative offset counts from the end; a length of zero takes all. */
function substring(text: string, offset: number, length: number): string {
  const from = text.slice(Number.isNaN(offset) ? 0 : offset)
  return length > 0 ? from.slice(0, length) : from
}
