import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TextLog } from '../../../src/platform/text-log.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function logged(isColoured = false) {
  const lines: string[] = []
  const log = new TextLog((text) => lines.push(text), { isColoured })
  const time = new Date(2026, 0, 2, 14, 3, 59, 7).getTime()
  const write = (fields: object) => {
    log.write(
      JSON.stringify({ level: 40, time, pid: 1, hostname: 'h', name: 'trunkline', ...fields }),
    )
  }
  return { lines, write }
}

it('shows time, level, message, reason and fields on one line', () => {
  const { lines, write } = logged()
  write({ msg: 'INVITE failed', err: { message: 'no answer' }, callSid: 'CA1', why: 'a b' })
  write({ level: 30, name: 'lab', msg: 'ready' })
  expect(lines).toEqual([
    '14:03:59.007 WARN  INVITE failed: no answer  callSid=CA1 why="a b"\n',
    '14:03:59.007 INFO  lab: ready\n',
  ])
})

it('shows the stack of an unexpected error below it', () => {
  const { lines, write } = logged()
  write({
    level: 50,
    msg: 'failed',
    err: { message: 'x is not a function', stack: 'TypeError: x\n    at f (a.ts:1:2)' },
  })
  expect(lines).toEqual(['14:03:59.007 ERROR failed: x is not a function\n    at f (a.ts:1:2)\n'])
})

it('escapes what a peer wrote, so that it forges no line and commands no terminal', () => {
  const { lines, write } = logged()
  const hostile = 'x\r\n00:00:00.000 FATAL forged\u001b[2J\u0085\u2028\u202e'
  write({ msg: hostile, err: { message: hostile }, [hostile]: hostile, more: [hostile] })
  expect(lines).toHaveLength(1)
  expect(lines[0]?.trimEnd()).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
})

it('shows a repeated warning once, then how often it came', () => {
  const { lines, write } = logged()
  for (let call = 0; call < 50; call += 1)
    write({ msg: 'INVITE failed', err: { message: 'connection refused' }, callSid: `CA${call}` })
  write({ msg: 'INVITE failed', err: { message: 'timeout' } })
  expect(lines).toHaveLength(2)
  vi.advanceTimersByTime(10_000)
  expect(lines.slice(2)).toEqual(['14:04:09.007 WARN  INVITE failed (49 more in 10 s)\n'])
  write({ msg: 'INVITE failed', err: { message: 'connection refused' } })
  vi.advanceTimersByTime(20_000)
  expect(lines.slice(3)).toEqual(['14:04:29.007 WARN  INVITE failed (1 more in 20 s)\n'])
  vi.advanceTimersByTime(40_000)
  write({ msg: 'INVITE failed', err: { message: 'connection refused' } })
  expect(lines[4]).toContain('connection refused')
})

it('shows each line of information, however often', () => {
  const { lines, write } = logged(true)
  for (let count = 0; count < 3; count += 1) write({ level: 30, msg: 'connected' })
  expect(lines).toEqual(Array(3).fill('14:03:59.007 \u001b[36mINFO \u001b[0m connected\n'))
})
