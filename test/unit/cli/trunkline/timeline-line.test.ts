import { expect, it } from 'vitest'
import { timelineLine } from '../../../../src/cli/trunkline/timeline/timeline-line.js'

const lineOf = (kind: string, detail: Record<string, unknown>, label?: string) =>
  timelineLine(
    { callSid: 'CA1', kind, at: 61_234, detail },
    { startedAt: 60_000, isColoured: false, ...(label === undefined ? {} : { label }) },
  )

it.each<[string, string, Record<string, unknown>, string]>([
  [
    'a message that left',
    'sip',
    { direction: 'sent', message: 'INVITE', headers: { CSeq: '1 INVITE' } },
    '+  1.234s  sip       → INVITE  (CSeq: 1 INVITE)',
  ],
  [
    'a message that came',
    'sip',
    { direction: 'received', message: '486 Busy Here' },
    '+  1.234s  sip       ← 486 Busy Here',
  ],
  [
    'a webhook with its status and duration',
    'webhook',
    { method: 'POST', url: 'http://app.test/', status: 200, durationMs: 12.4 },
    '+  1.234s  webhook   POST http://app.test/ ← 200 in 12 ms',
  ],
  [
    'a callback that failed',
    'callback',
    {
      method: 'POST',
      url: 'http://app.test/',
      callStatus: 'completed',
      error: { code: 11200, message: 'no answer' },
    },
    '+  1.234s  callback  POST http://app.test/ (completed) ← ! 11200 no answer',
  ],
  [
    'a verb below what the call does',
    'verb',
    { verb: 'Say', text: 'Hello' },
    '+  1.234s  verb        <Say> Hello',
  ],
  [
    'digits below their verb',
    'digits',
    { digits: '42', finishedOnKey: '#' },
    '+  1.234s  digits        pressed 42#',
  ],
  [
    'a warning, marked',
    'warning',
    { code: 12200, message: 'unknown' },
    '+  1.234s  warning   ! 12200 unknown',
  ],
  ['the end', 'status', { status: 'busy', sipStatus: 486 }, '+  1.234s  status    busy (SIP 486)'],
  ['a kind of later days, as it is', 'gadget', { a: 1 }, '+  1.234s  gadget    {"a":1}'],
])('shows %s', (_title, kind, detail, line) => {
  expect(lineOf(kind, detail)).toBe(line)
})

it('says whose event it is when calls are shown together', () => {
  expect(lineOf('status', { status: 'ringing' }, '[…abc]')).toBe(
    '+  1.234s  […abc] status    ringing',
  )
})
