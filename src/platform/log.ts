import { type Logger, pino } from 'pino'
import { AdapterError, DomainError } from './errors.js'
import { maskMediaKeys } from './mask-secrets.js'
import { TextLog } from './text-log.js'

export type { Logger } from 'pino'

/** `auto`: text on a terminal, else JSON. */
export const LOG_FORMATS = ['auto', 'json', 'text'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** Field names that are removed from log lines, at the first two levels. */
const SECRET_FIELDS = ['password', 'token', 'secret', 'authorization', 'apiKey', 'digits']

/**
 * The control characters that JSON leaves unescaped: terminals obey some, and some readers end a
 * line at the last two.
 */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029]/g

/** Error codes of Node.js for a server that is not there. */
const ABSENT_SERVER =
  /^(?:E(?:CONN[A-Z]+|HOSTUNREACH|NETUNREACH|TIMEDOUT|PIPE|AI_AGAIN)|ENOTFOUND|UND_ERR_[A-Z_]+)$/
const MAX_CAUSES = 5

/**
 * Returns a logger that writes lines to stderr: JSON, or text for people. Peers' strings are escaped, so that
 * none can forge a line, and SRTP keys in texts are masked.
 */
export function createLogger(
  level: string,
  {
    name = 'trunkline',
    format = 'auto',
  }: { readonly name?: string; readonly format?: LogFormat } = {},
): Logger {
  const stderr = pino.destination({ dest: 2, sync: true })
  const isText = format === 'text' || (format === 'auto' && process.stderr.isTTY)
  const isColoured = process.stderr.isTTY && process.env['NO_COLOR'] === undefined
  const text = new TextLog((line) => stderr.write(line), { isColoured })
  return pino(
    {
      name,
      level,
      serializers: { err: shownError },
      redact: { paths: SECRET_FIELDS.flatMap((f) => [f, `*.${f}`]), censor: '***' },
    },
    {
      write: (line) => {
        const masked = maskMediaKeys(line)
        if (isText) text.write(masked)
        else stderr.write(masked.replace(UNPRINTABLE, escaped))
      },
    },
  )
}

/** Returns an expected failure as its message and fault, any other error with its stack. */
function shownError(error: unknown): unknown {
  if (!(error instanceof Error) || !isExpected(error))
    return pino.stdSerializers.err(error as Error)
  const { fault } = error as { readonly fault?: unknown }
  const message = messageOf(error)
  return typeof fault === 'string' ? { message, fault } : { message }
}

/** True for a failure outside this process, whose stack explains nothing. */
function isExpected(error: Error): boolean {
  if (error instanceof AdapterError || error instanceof DomainError) return true
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && ABSENT_SERVER.test(code)
}

/** Joins the messages of an error and its causes, each once. */
function messageOf(error: Error): string {
  let text = ''
  let at: unknown = error
  for (let depth = 0; at instanceof Error && depth < MAX_CAUSES; depth += 1) {
    const { code } = at as { readonly code?: unknown }
    const own = at.message || (typeof code === 'string' ? code : at.name)
    if (!text.includes(own)) text += text === '' ? own : `: ${own}`
    at = at.cause
  }
  return text
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
