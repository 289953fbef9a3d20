import { describe, expect, it } from 'vitest'
import { ladderLines, ladderRows } from '../../../../src/cli/trunkline/timeline/ladder.js'
import type { SipMessage } from '../../../../src/cli/trunkline/timeline/sip-messages.js'

const CALLER = { transport: 'udp', host: '192.0.2.1', port: 5060 }
const CALLEE = { transport: 'tcp', host: '2001:db8::2', port: 5070 }
const CALL = { sid: 'CA1', direction: 'inbound', from: '+15550001111', to: '+15550002222' }
const CHILD = { sid: 'CA2', direction: 'outbound-dial', from: '+15550001111', to: 'client:bob' }

const of =
  (call: SipMessage['call'], callId: string, more: Readonly<Record<string, unknown>>) =>
  (at: number, arrow: '→' | '←', text: string, detail: Readonly<Record<string, unknown>> = {}) => ({
    ...{ call, callId, at, text, isSent: arrow === '→' },
    headers: (detail['headers'] ?? {}) as SipMessage['headers'],
    detail: { ...more, ...detail },
  })
const caller = of(CALL, 'a', { peer: CALLER, carrier: 'acme' })
const callee = of(CHILD, 'b', { peer: CALLEE })

const CSEQ = (value: string) => ({ headers: { CSeq: value } })

describe('the ladder of a call', () => {
  it('has a column for each party and an arrow for each message', () => {
    const messages = [
      caller(1_000, '←', 'INVITE', CSEQ('1 INVITE')),
      callee(1_020, '→', 'INVITE', CSEQ('1 INVITE')),
      callee(1_120, '←', '180 Ringing', CSEQ('1 INVITE')),
      caller(3_000, '←', 'CANCEL'),
      callee(3_001, '→', 'CANCEL'),
    ]
    expect(`\n${ladderLines(messages).join('\n')}\n`).toBe(`
                    carrier acme                    trunkline                    client:bob
                 udp 192.0.2.1:5060                                        tcp [2001:db8::2]:5070
  +0.000s                 │────────── INVITE ──────────▶│                             │
  +0.020s                 │                             │────────── INVITE ──────────▶│
  +0.120s                 │                             │◀─────── 180 Ringing ────────│
  +2.000s                 │────────── CANCEL ──────────▶│                             │
  +2.001s                 │                             │────────── CANCEL ──────────▶│
`)
  })

  it('marks a re-INVITE, the target of a REFER and the method of a response', () => {
    const messages = [
      caller(1, '←', 'INVITE', CSEQ('1 INVITE')),
      caller(2, '→', '200 OK', CSEQ('1 INVITE')),
      caller(3, '←', 'INVITE', CSEQ('2 INVITE')),
      caller(4, '→', '200 OK', CSEQ('2 INVITE')),
      caller(5, '←', 'REFER', { headers: { CSeq: '3 REFER', 'Refer-To': '<sip:bob@192.0.2.9>' } }),
      caller(6, '→', '202 Accepted', CSEQ('3 REFER')),
    ]
    expect(ladderRows(messages).map(({ text }) => text)).toEqual([
      'INVITE',
      '200 OK',
      're-INVITE',
      '200 OK',
      'REFER sip:bob@192.0.2.9',
      '202 Accepted (REFER)',
    ])
    expect(ladderRows(messages)[4]).toMatchObject({
      ...{ callSid: 'CA1', callId: 'a' },
      ...{ from: 'carrier acme udp 192.0.2.1:5060', to: 'trunkline' },
    })
  })

  it('draws a response of our own stack as one that nobody sent, with the reason', () => {
    const refused = { madeBy: 'own-stack', why: 'refused' }
    const messages = [caller(1, '→', 'INVITE'), caller(2, '←', '503 Service Unavailable', refused)]
    expect(ladderLines(messages)[3]).toBe(
      '  +0.001s                 │┄┄ 503 Service Unavailable ┄▶│  made by our own stack: the connection was refused, or the network cannot reach it',
    )
    expect(ladderRows(messages)[1]?.from).toBe('trunkline')
  })

  it('says so when there are no messages', () => {
    expect(ladderLines([])).toEqual(['the call has no SIP messages'])
  })
})
