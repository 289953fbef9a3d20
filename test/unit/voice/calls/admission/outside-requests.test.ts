import { describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../../../../src/platform/database/storage-error.js'
import { createLogger } from '../../../../../src/platform/log.js'
import { SourceLimit } from '../../../../../src/platform/source-limit.js'
import { answerOutsideRequests } from '../../../../../src/voice/calls/admission/outside-requests.js'
import { DEFAULT_CARRIER_SETTINGS } from '../../../../../src/voice/carriers/carrier.js'
import { carrierAt } from '../../../../../src/voice/carriers/order-routes.js'
import type { OutsideRequest } from '../../../../../src/voice/telephony/port.js'
import { createFakeTelephony } from '../../../../support/voice/fake-telephony.js'

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
const STRANGER = '198.51.100.7'
/** An address on the access list of an account. */
const PBX = '198.51.100.99'

interface Given {
  readonly isDraining?: boolean
  readonly findDomain?: (name: string) => Promise<undefined>
}

function setUp({ isDraining = false, findDomain = () => Promise.resolve(undefined) }: Given = {}) {
  const telephony = createFakeTelephony()
  const limit = () => new SourceLimit({ perSecond: 1, burst: 2 })
  answerOutsideRequests({
    telephony,
    carriers: {
      byAddress: (address) => Promise.resolve(carrierAt([CARRIER], address)),
    },
    accessLists: {
      accountsAt: (address) =>
        Promise.resolve(address === PBX ? [{ accountSid: 'AC1', bits: 32 }] : []),
    },
    // No limit fills up again while a test runs.
    clock: { now: () => 0, monotonic: () => 0 },
    log: createLogger('silent'),
    sources: { carrier: limit(), stranger: limit(), softphone: limit(), trunk: limit() },
    sip: { domains: { find: findDomain } },
    takeText: () => Promise.reject(new Error('not asked')),
    registrar: { register: () => Promise.reject(new Error('not asked')) },
    isDraining: () => isDraining,
  })
  /** What the request is answered with, once everything asked so far is decided. */
  return async (address: string, changes: Partial<OutsideRequest> = {}) => {
    const source = { address, port: 5060, transport: 'udp' }
    const { answers } = telephony.ask({ source, ...changes })
    await new Promise((resolve) => setImmediate(resolve))
    return answers
  }
}

describe('a request outside a dialog', () => {
  it.each(['OPTIONS', 'REGISTER', 'MESSAGE'])('%s of a carrier is answered', async (method) => {
    expect(await setUp()('192.0.2.9', { method })).toEqual(['answer'])
  })

  it("OPTIONS of an account's own equipment is answered", async () => {
    expect(await setUp()(PBX, { method: 'OPTIONS' })).toEqual(['answer'])
  })

  it.each(['OPTIONS', 'REGISTER', 'MESSAGE'])('%s of a stranger is not', async (method) => {
    expect(await setUp()(STRANGER, { method })).toEqual([])
  })

  it.each<[string, Partial<OutsideRequest>]>([
    ['User-Agent', { userAgent: 'friendly-scanner' }],
    ['To', { parties: ['<sip:a@b>', '"sipvicious" <sip:100@1.1.1.1>'] }],
  ])('of a scanner, told by its %s, gets nothing from a carrier’s address', async (_, changes) => {
    expect(await setUp()('192.0.2.9', changes)).toEqual([])
  })

  it('REGISTER of a stranger at an unknown domain is told so: 404 with 32002', async () => {
    const requestUri = 'sip:nowhere.example'
    expect(await setUp()(STRANGER, { method: 'REGISTER', requestUri })).toEqual([404])
    expect(await setUp()(STRANGER, { method: 'OPTIONS', requestUri })).toEqual([])
  })

  it('costs no look for its domain when a scanner sends it, or an address beyond its rate', async () => {
    const looked: string[] = []
    const ask = setUp({
      findDomain: (name) => {
        looked.push(name)
        return Promise.resolve(undefined)
      },
    })
    const requestUri = 'sip:nowhere.example'
    await ask(STRANGER, { requestUri, userAgent: 'friendly-scanner' })
    expect(looked).toEqual([])
    for (let index = 0; index < 20; index++)
      await ask(STRANGER, { method: 'REGISTER', requestUri: `sip:name${index}.example` })
    expect(looked.length).toBeLessThanOrEqual(2)
    // Another address has its own rate.
    await ask('198.51.100.8', { method: 'REGISTER', requestUri })
    expect(looked.at(-1)).toBe('nowhere.example')
  })

  it('counts against its source: refused, then ignored [B13]', async () => {
    const ask = setUp()
    const answers = []
    for (let index = 0; index < 14; index++) answers.push(...(await ask('192.0.2.9')))
    expect(answers).toEqual(['answer', 'answer', ...Array<number>(10).fill(503)])
  })

  it('of a stranger that sends too much is ignored all the same', async () => {
    const ask = setUp()
    const answers = []
    for (let index = 0; index < 14; index++) answers.push(...(await ask(STRANGER)))
    expect(answers).toEqual([])
  })

  it('REGISTER gets 503 while the database is away, so that the softphone tries again', async () => {
    const ask = setUp({
      findDomain: () => Promise.reject(new StorageUnavailableError('the database is away')),
    })
    const request = { method: 'REGISTER', requestUri: 'sip:office.example.com' }
    expect(await ask(STRANGER, request)).toEqual([503])
  })

  it('OPTIONS gets 503 while the server shuts down, as an INVITE would', async () => {
    const ask = setUp({ isDraining: true })
    expect(await ask('192.0.2.9')).toEqual([503])
    expect(await ask('192.0.2.9', { method: 'REGISTER' })).toEqual(['answer'])
  })
})
