import { pino } from 'pino'
import type { Logger } from '../../../src/platform/log.js'

export interface LogLine {
  readonly level: string
  readonly msg: string
  readonly fields: Readonly<Record<string, unknown>>
}

export function recordingLog(): { readonly log: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const log = pino(
    { level: 'trace', base: null, formatters: { level: (label) => ({ level: label }) } },
    {
      write: (text: string) => {
        const fields = JSON.parse(text) as Record<string, unknown> // pino writes one object per line
        lines.push({ level: String(fields['level']), msg: String(fields['msg']), fields })
      },
    },
  )
  return { log, lines }
}
