import { type Logger, pino } from 'pino'
import { maskMediaKeys } from './mask-secrets.js'

export type { Logger } from 'pino'

/** Field names that are removed from log lines, at the first two levels. */
const SECRET_FIELDS = ['password', 'token', 'secret', 'authorization', 'apiKey', 'digits']

/**
 * The control characters that JSON leaves unescaped: terminals obey some, and some readers end a
 * line at the last two.
 */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029]/g

/**
 * Returns a logger that writes JSON lines to stderr. Peers' strings are escaped, so that none can forge a line,
 * and SRTP keys in texts are masked.
 */
export function createLogger(level: string, name = 'trunkline'): Logger {
  const stderr = pino.destination({ dest: 2, sync: true })
  return pino(
    {
      name,
      level,
      redact: { paths: SECRET_FIELDS.flatMap((f) => [f, `*.${f}`]), censor: '***' },
    },
    {
      write: (line) => {
        stderr.write(maskMediaKeys(line).replace(UNPRINTABLE, escaped))
      },
    },
  )
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
