/** Writes JSON log lines as text for people: time, level, message, fields. */
import { visible } from './text.js'

type Fields = Readonly<Record<string, unknown>>

/** Names and colours of pino's levels. */
const LEVELS: Readonly<Record<number, readonly [name: string, colour: number]>> = {
  10: ['TRACE', 90],
  20: ['DEBUG', 90],
  30: ['INFO', 36],
  40: ['WARN', 33],
  50: ['ERROR', 31],
  60: ['FATAL', 31],
}
const [WARN, FATAL] = [40, 60]

/** Fields that the text shows elsewhere, or not at all. */
const NOT_SHOWN = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err'])
/** Maximum length of a shown value, in characters. */
const MAX_VALUE = 200
/** First and longest time in which repeats of a line are counted instead of shown, ms. */
const FIRST_WINDOW_MS = 10_000
const LONGEST_WINDOW_MS = 600_000
/** Maximum number of lines whose repeats are counted at once; others are all shown. */
const MAX_COUNTED = 1_000

interface Repeats {
  count: number
  windowMs: number
}

/**
 * A warning or an error that repeats, with other ids or without, is shown once. Its repeats are counted, and
 * their number is shown after 10 s, then after twice that time, up to 10 minutes, while they go on.
 */
export class TextLog {
  readonly #write: (text: string) => void
  readonly #isColoured: boolean
  readonly #repeats = new Map<string, Repeats>()

  constructor(write: (text: string) => void, { isColoured }: { readonly isColoured: boolean }) {
    this.#write = write
    this.#isColoured = isColoured
  }

  /** Takes one line of JSON. */
  write(line: string): void {
    // The logger wrote the line.
    const fields = JSON.parse(line) as Fields
    const level = Number(fields['level'])
    if (level >= WARN && level < FATAL && this.#isRepeat(fields)) return
    this.#write(this.#text(fields, detailsOf(fields)))
  }

  /** True for a line that was shown a short time ago; it is counted. */
  #isRepeat(fields: Fields): boolean {
    const { level, name, msg, fault } = fields
    const key = JSON.stringify([level, name, msg, fault, messageOf(fields['err'])])
    const known = this.#repeats.get(key)
    if (known !== undefined) {
      known.count += 1
      return true
    }
    if (this.#repeats.size >= MAX_COUNTED) return false
    const repeats = { count: 0, windowMs: FIRST_WINDOW_MS }
    this.#repeats.set(key, repeats)
    this.#showLater(key, repeats, fields)
    return false
  }

  #showLater(key: string, repeats: Repeats, { level, name, msg, time }: Fields): void {
    const { windowMs } = repeats
    const until = Number(time) + windowMs
    setTimeout(() => {
      const { count } = repeats
      if (count === 0) {
        this.#repeats.delete(key)
        return
      }
      const fields = { level, name, msg, time: until }
      this.#write(this.#text(fields, ` (${count} more in ${windowMs / 1_000} s)\n`))
      repeats.count = 0
      repeats.windowMs = Math.min(2 * windowMs, LONGEST_WINDOW_MS)
      this.#showLater(key, repeats, fields)
    }, windowMs).unref()
  }

  #text({ level, time, name, msg }: Fields, details: string): string {
    const [word, colour] = LEVELS[Number(level)] ?? [String(level), 0]
    const padded = word.padEnd(5)
    const shownLevel = this.#isColoured ? `\u001b[${colour}m${padded}\u001b[0m` : padded
    const from = typeof name === 'string' && name !== 'trunkline' ? `${visible(name)}: ` : ''
    const text = typeof msg === 'string' ? visible(msg) : ''
    return `${timeOf(Number(time))} ${shownLevel} ${from}${text}${details}`
  }
}

/** The time of day here, as `14:03:59.123`. */
function timeOf(time: number): string {
  const at = new Date(time)
  const two = (value: number) => String(value).padStart(2, '0')
  const seconds = `${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`
  return `${two(at.getHours())}:${two(at.getMinutes())}:${seconds}`
}

/** The error, the fields, and below them the stack of an unexpected error. */
function detailsOf(fields: Fields): string {
  const { err } = fields
  const reason = messageOf(err)
  const shown = Object.entries(fields)
    .filter(([name, value]) => !NOT_SHOWN.has(name) && value !== undefined)
    .map(([name, value]) => ` ${visible(name)}=${valueText(value)}`)
    .join('')
  const stack = stackOf(err).map((line) => `    ${visible(line)}\n`)
  return `${reason === '' ? '' : `: ${visible(reason)}`}${shown === '' ? '' : ` ${shown}`}\n${stack.join('')}`
}

function messageOf(err: unknown): string {
  if (typeof err !== 'object' || err === null || !('message' in err)) return ''
  return typeof err.message === 'string' ? err.message : ''
}

/** The frames of a stack; the message stands above them. */
function stackOf(err: unknown): readonly string[] {
  if (typeof err !== 'object' || err === null || !('stack' in err)) return []
  const lines = String(err.stack).split('\n')
  return lines.map((line) => line.trim()).filter((line) => line.startsWith('at '))
}

function valueText(value: unknown): string {
  const isWord = typeof value === 'string' && /^[^\s"=\p{Cc}]+$/u.test(value)
  const text = visible(isWord ? value : JSON.stringify(value))
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}
