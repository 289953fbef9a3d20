import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../../src/platform/log.js'
import type { Binding } from '../../../../src/voice/registrar/binding.js'
import { KeepAliveRound } from '../../../../src/voice/registrar/keep-alive.js'
import type { FlowAddress, KeepAliveOutcome } from '../../../../src/voice/telephony/port.js'

const NOW = 1_700_000_000_000

const contact = (sid: string, transport: string, silentSince?: number): Binding => ({
  sid,
  accountSid: 'AC1',
  domainSid: 'SD1',
  username: 'alice',
  key: sid,
  contactUri: `sip:${sid}@192.168.1.2`,
  q: 1_000,
  instanceId: undefined,
  regId: undefined,
  userAgent: undefined,
  callId: 'abc',
  cseq: 1,
  source: { address: '192.0.2.1', port: 5062, transport },
  isProbed: true,
  silentSince,
  server: '127.0.0.1:9022',
  expiresAt: NOW + 60_000,
  createdAt: NOW,
  updatedAt: NOW,
})

/** One round over the contacts, whose OPTIONS come to these ends; what it wrote. */
async function judged(contacts: readonly (readonly [Binding, KeepAliveOutcome])[]) {
  const written: string[] = []
  const sent: FlowAddress[] = []
  const note = (what: string) => (bindings: readonly Binding[], since?: number) => {
    const state = what === 'silent' && since === undefined ? 'back' : what
    if (bindings.length > 0) written.push(`${state} ${bindings.map(({ sid }) => sid).join()}`)
    return Promise.resolve()
  }
  const outcomes = new Map(contacts.map(([{ contactUri }, outcome]) => [contactUri, outcome]))
  const round = new KeepAliveRound({
    bindings: {
      probed: () => Promise.resolve(contacts.map(([binding]) => binding)),
      setSilent: note('silent'),
      removeLost: note('lost'),
    },
    telephony: {
      keepAlive: (address) => {
        sent.push(address)
        return Promise.resolve(outcomes.get(address.uri) ?? 'unsent')
      },
    },
    clock: { now: () => NOW, monotonic: () => 0 },
    log: createLogger('silent'),
  })
  round.step()
  await round.whenIdle()
  return { written, sent, round }
}

describe('a round of OPTIONS', () => {
  it.each<[string, string, number | undefined, KeepAliveOutcome, string[]]>([
    ['that answers stays as it is', 'udp', undefined, 'answered', []],
    ['that is silent is noted', 'udp', undefined, 'silent', ['silent a']],
    ['that is silent still costs no write', 'udp', NOW - 25_000, 'silent', []],
    ['that answers again is noted', 'udp', NOW - 25_000, 'answered', ['back a']],
    ['whose connection is gone is removed', 'tcp', undefined, 'lost', ['lost a']],
    ['that cannot be sent a datagram is silent', 'udp', undefined, 'lost', ['silent a']],
    ['of another server says nothing', 'tcp', undefined, 'unsent', []],
  ])('a contact %s', async (_title, transport, since, outcome, expected) => {
    expect((await judged([[contact('a', transport, since), outcome]])).written).toEqual(expected)
  })

  it('writes once for all contacts of a kind', async () => {
    const { written, sent } = await judged([
      [contact('a', 'udp'), 'silent'],
      [contact('b', 'udp'), 'answered'],
      [contact('c', 'udp'), 'silent'],
    ])
    expect(written).toEqual(['silent a,c'])
    expect(sent).toHaveLength(3)
  })

  it('rests until its time is over', async () => {
    const { round, sent } = await judged([[contact('a', 'udp'), 'answered']])
    round.step()
    await round.whenIdle()
    expect(sent).toHaveLength(1)
  })
})
