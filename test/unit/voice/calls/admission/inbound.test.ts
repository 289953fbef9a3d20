import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../../../src/numbers/number-settings.js'
import { createLogger } from '../../../../../src/platform/log.js'
import { SourceLimit } from '../../../../../src/platform/source-limit.js'
import { type AdmissionDeps, admit } from '../../../../../src/voice/calls/admission/inbound.js'
import { DEFAULT_CARRIER_SETTINGS } from '../../../../../src/voice/carriers/carrier.js'
import { carrierAt } from '../../../../../src/voice/carriers/order-routes.js'
import type { IncomingInvite } from '../../../../../src/voice/telephony/port.js'
import { INVITE_FACTS } from '../../../../support/voice/fake-telephony.js'

const CARRIER = {
  name: 'acme',
  host: '192.0.2.1',
  port: 5060,
  transport: 'udp',
  prefixes: ['+'],
  priority: 0,
  weight: 1,
  addresses: ['192.0.2.0/24'],
  settings: DEFAULT_CARRIER_SETTINGS,
} as const

function inviteFrom(address: string, changes: Partial<IncomingInvite> = {}): IncomingInvite {
  const party = { user: '15550001111', host: 'x', uri: 'sip:15550001111@x' }
  const nothing = () => undefined
  return {
    ...{ callId: '1', requestUri: party, from: party, to: party, userAgent: undefined },
    source: { address, port: 5060, transport: 'udp' },
    audio: 'plain',
    headers: [],
    facts: INVITE_FACTS,
    reject: nothing,
    drop: nothing,
    accept: () => {
      throw new Error('nothing is taken here')
    },
    ...changes,
  }
}

function depsWith(limits: { readonly carrier: number; readonly stranger: number }) {
  const limit = (burst: number) => new SourceLimit({ perSecond: 1 / 60, burst })
  const asked: string[] = []
  const deps: AdmissionDeps = {
    carriers: {
      byAddress: (address: string) => Promise.resolve(carrierAt([CARRIER], address)),
    }, // nothing else is asked of them
    numbers: {
      called: (e164: string) => {
        asked.push(e164)
        return Promise.resolve(undefined)
      },
    },
    callerVerification: { verify: () => Promise.resolve(undefined) },
    accounts: {
      find: () => Promise.resolve(undefined),
      findByUsername: () => Promise.resolve(undefined),
    },
    accessLists: { accountsAt: () => Promise.resolve([]) },
    sipAuthentication: { hasPasswords: () => Promise.resolve(false) },
    holdsCallerId: () => Promise.resolve(false),
    blockedPrefixes: [],
    events: { append: () => undefined },
    numberSettings: () => Promise.resolve(DEFAULT_SETTINGS),
    callerNameFor: () => Promise.resolve(undefined),
    gateways: {} as unknown as AdmissionDeps['gateways'],
    bindings: { newestOf: () => Promise.resolve(undefined) },
    carrierClaims: { callsThrough: () => Promise.resolve(0) },
    sip: {
      domains: {
        find: (name: string) => {
          asked.push(name)
          return Promise.resolve(undefined)
        },
      },
    } as unknown as AdmissionDeps['sip'], // nor of these
    gate: {} as unknown as AdmissionDeps['gate'],
    nonceCounts: {} as unknown as AdmissionDeps['nonceCounts'],
    emergency: { judge: () => Promise.resolve({ type: 'refused', reason: 'nobody calls 911' }) },
    sources: {
      carrier: limit(limits.carrier),
      stranger: limit(limits.stranger),
      softphone: limit(limits.carrier),
      trunk: limit(limits.carrier),
    },
    log: createLogger('silent'),
    clock: { now: () => 0, monotonic: () => 0 },
  }
  return { deps, asked }
}

/** What each of so many calls got: a status, or `drop`. */
async function answersTo(deps: AdmissionDeps, address: string, calls: number) {
  const answers: (number | string)[] = []
  for (let i = 0; i < calls; i++) {
    const admission = await admit(inviteFrom(address), deps)
    answers.push(admission.type === 'reject' ? admission.status : admission.type)
  }
  return answers
}

describe('an incoming call', () => {
  it('of a stranger is refused, then put off, then ignored, and no number is looked up [B13]', async () => {
    const { deps, asked } = depsWith({ carrier: 100, stranger: 2 })
    expect(await answersTo(deps, '198.51.100.7', 14)).toEqual([
      ...[403, 403],
      ...Array<number>(10).fill(503),
      ...['drop', 'drop'],
    ])
    expect(asked).toEqual([])
  })

  it('of a stranger is refused with a reason for the operator', async () => {
    const { deps } = depsWith({ carrier: 100, stranger: 2 })
    const known = 'the address is of no carrier and on no access list'
    expect(await admit(inviteFrom('198.51.100.7'), deps)).toMatchObject({ status: 403, why: known })
    const party = { user: '1', host: 'nowhere.example', uri: 'sip:1@nowhere.example' }
    expect(await admit(inviteFrom('198.51.100.7', { requestUri: party }), deps)).toMatchObject({
      status: 404,
      why: `there is no such SIP domain, and ${known}`,
    })
  })

  it('of a stranger that tries names is looked up within its rate only', async () => {
    const { deps, asked } = depsWith({ carrier: 2, stranger: 100 })
    const party = { user: '1', host: 'nowhere.example', uri: 'sip:1@nowhere.example' }
    const answers: unknown[] = []
    for (let index = 0; index < 14; index += 1) {
      const admission = await admit(inviteFrom('198.51.100.7', { requestUri: party }), deps)
      answers.push(admission.type === 'reject' ? admission.status : admission.type)
    }
    expect(answers).toEqual([...[404, 404], ...Array<number>(10).fill(503), ...['drop', 'drop']])
    expect(asked).toEqual(['nowhere.example', 'nowhere.example'])
  })

  it('says when to come back', async () => {
    const { deps } = depsWith({ carrier: 0, stranger: 0 })
    expect(await admit(inviteFrom('192.0.2.9'), deps)).toMatchObject({
      status: 503,
      headers: { 'Retry-After': '5' },
    })
  })

  it('of a carrier has another measure, in which a call to nobody costs ten, and suffers from no stranger', async () => {
    const { deps } = depsWith({ carrier: 10, stranger: 1 })
    await answersTo(deps, '198.51.100.7', 100)
    expect(await answersTo(deps, '192.0.2.9', 2)).toEqual([404, 503])
    expect(await answersTo(deps, '192.0.2.10', 1)).toEqual([404])
  })

  it.each([
    ['User-Agent', { userAgent: 'friendly-scanner' }],
    ['To', { to: { user: 'sipvicious', host: 'x', uri: 'sip:sipvicious@x' } }],
    ['From', { from: { displayName: 'sipvicious', host: 'x', uri: 'sip:100@x' } }],
  ])('of a scanner, told by its %s, gets nothing [B12]', async (_where, changes) => {
    const { deps, asked } = depsWith({ carrier: 10, stranger: 10 })
    const requestUri = { user: '1', host: 'a.example', uri: 'sip:1@a.example' }
    const invite = inviteFrom('192.0.2.9', { requestUri, ...changes })
    expect(await admit(invite, deps)).toEqual({ type: 'drop' })
    expect(asked).toEqual([])
  })
})
