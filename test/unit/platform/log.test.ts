import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

const LOG = new URL('../../../dist/platform/log.js', import.meta.url).href
/** Line breaks, terminal commands, ends of strings and lines of other alphabets. */
const HOSTILE = [
  'x\r\n{"level":60,"msg":"forged"}',
  '\u001b[2J\u001b]0;owned\u0007',
  '\u009b31m\u0085next\u007f',
  '"},{"level":60',
  '\u2028forged\u2029',
]

/** What a process writes to standard error when it logs each of them. */
function logged(texts: readonly string[]): string {
  const script = `
    import { createLogger } from ${JSON.stringify(LOG)}
    const log = createLogger('info')
    for (const text of ${JSON.stringify(texts)}) log.info({ callId: text, userAgent: text }, text)`
  return spawnSync(process.execPath, ['--input-type=module', '-e', script]).stderr.toString()
}

describe("a peer's string in the log [C27]", () => {
  it('is one escaped JSON line, and comes back as it was', () => {
    const text = logged(HOSTILE)
    const lines = text.trimEnd().split('\n')
    expect(lines).toHaveLength(HOSTILE.length)
    const read = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    expect(read.map(({ callId }) => callId)).toEqual(HOSTILE)
    expect(read.map(({ msg }) => msg)).toEqual(HOSTILE)
    expect(read.every(({ level }) => level === 30)).toBe(true)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
  })
})
