/** Result of a check, as the operator reads it. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  readonly subject: string
  readonly text: string
  /** Advice; undefined when all is well. */
  readonly advice?: string
}

export const ok = (subject: string, text: string): Finding => ({ level: 'ok', subject, text })

export const warn = (subject: string, text: string, advice: string): Finding => ({
  level: 'warn',
  subject,
  text,
  advice,
})

export const fail = (subject: string, text: string, advice: string): Finding => ({
  level: 'fail',
  subject,
  text,
  advice,
})

const COLOURS = { ok: 32, warn: 33, fail: 31 }
const SUBJECT_WIDTH = 12

/** Writes a finding as one line, and its advice as a second one. */
export function findingLines({ level, subject, text, advice }: Finding, isColoured: boolean) {
  const word = level.padEnd(4)
  const mark = isColoured ? `\u001b[${COLOURS[level]}m${word}\u001b[0m` : word
  const line = `${mark}  ${subject.padEnd(SUBJECT_WIDTH)} ${text}`
  return advice === undefined ? [line] : [line, `${' '.repeat(SUBJECT_WIDTH + 7)}→ ${advice}`]
}
