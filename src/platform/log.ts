import { type Logger, pino } from 'pino'

export type { Logger } from 'pino'

/** Field names that never reach a log line, at any of the first two levels. */
const SECRET_FIELDS = ['password', 'token', 'secret', 'authorization', 'apiKey', 'digits']

/** One JSON object a line on stderr; peers' strings are escaped by JSON, so none can forge a line. */
export function createLogger(level: string, name = 'trunkline'): Logger {
  return pino(
    {
      name,
      level,
      redact: { paths: SECRET_FIELDS.flatMap((f) => [f, `*.${f}`]), censor: '***' },
    },
    pino.destination({ dest: 2, sync: true }),
  )
}
