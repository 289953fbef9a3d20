/** A customer's PBX, its carrier and the emergency service, each of them a SIPp of its own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Lab } from '../../src/lab/start-lab.js'
import { callRest } from '../support/account/rest-client.js'
import { openLab } from '../support/media/lab.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { followEvents } from '../support/process/operator-events.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { type RunningSipp, type SippOptions, sipp, startSipp } from '../support/sip/sipp.js'
import { waitUntil } from '../support/time/wait-until.js'

const LIMIT_MS = 20_000
const CARRIER = '127.0.0.2'
const PBX = '127.0.0.3'
const NOBODY = '127.0.0.4'
const CALLEE = '+15557770001'
/** The number that SIPp's scenarios call from; nobody holds it. */
const STRANGER = '+15553334444'
const HELD = '+12125550143'
const PASSWORD = 'abc1234'

let lab: Lab
let trunkline: RunningTrunkline
let busyCarrier: RunningSipp

beforeAll(async () => {
  lab = await openLab()
  trunkline = await startTrunkline({
    DRACHTIO_URL: lab.drachtioUrl,
    FREESWITCH_URL: lab.freeswitchUrl,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  })
  busyCarrier = await startSipp({ scenario: 'uas-refuses-486', host: CARRIER, calls: 1_000 })
  await useCarrier('acme', busyCarrier, { prefixes: ['+1'] })
  const ready = async () => (await fetch(`${trunkline.http}/readyz`)).status === 200
  await waitUntil('both servers are up', ready, LIMIT_MS)
  await rest('POST', '/acl', { acl: [{ cidr: `${PBX}/32` }] })
})
afterAll(async () => {
  await busyCarrier[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
  await lab[Symbol.asyncDispose]()
})

async function useCarrier(name: string, { port }: RunningSipp, more: object): Promise<void> {
  const carrier = { host: CARRIER, port, addresses: [`${CARRIER}/32`], ...more }
  const answer = await trunkline.adminApi('PUT', `/carriers/${name}`, carrier)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

const rest = (method: string, path: string, body?: object) =>
  callRest(trunkline, method, path, body)

const authenticateBy = (authType: number) => rest('PUT', '/auth', { authType, password: PASSWORD })

/** Calls from an address; resolves when the scenario has had its way. */
const call = (
  scenario: string,
  host: SippOptions['host'] & string,
  { service = CALLEE, ...more }: Partial<SippOptions> = {},
) => sipp({ scenario, host, service, target: `127.0.0.1:${lab.sipPort}`, ...more })

describe('SIPp as a PBX', () => {
  it.each<[number, 'listed' | 'another', string]>([
    [0, 'listed', 'uac-wants-401'],
    [1, 'listed', 'uac-wants-486'],
    [1, 'another', 'uac-wants-401'],
    [2, 'listed', 'uac-wants-486'],
    [2, 'another', 'uac-wants-401'],
    [3, 'listed', 'uac-wants-401'],
    [3, 'another', 'uac-wants-401'],
  ])('by authType %i, without a password, at the %s address: %s', async (authType, place, scenario) => {
    await authenticateBy(authType)
    await call(scenario, place === 'listed' ? PBX : NOBODY)
    await expectNothingLeft(trunkline)
  })

  // SIPp names itself and gets its MD5 challenge alone: it reads no other than the first.
  it.each<[number, 'listed' | 'another']>([
    [0, 'another'],
    [2, 'another'],
    [3, 'listed'],
  ])('by authType %i, with the password, from the %s address', async (authType, place) => {
    await authenticateBy(authType)
    const { username } = await rest('GET', '/account')
    const extra = ['-au', String(username), '-ap', PASSWORD]
    await call('uac-authenticates', place === 'listed' ? PBX : NOBODY, { extra })
    await expectNothingLeft(trunkline)
  })

  it('is admitted from an address as long as that is on the list', async () => {
    await authenticateBy(1)
    await rest('POST', '/acl', { acl: [{ cidr: `${NOBODY}/32` }] })
    await call('uac-wants-486', NOBODY)
    await rest('DELETE', `/acl?cidrs=${NOBODY}/32`)
    await call('uac-wants-401', NOBODY)
  })
})

describe('SIPp at 911', () => {
  it('hears who calls and from where, whatever is full or spent; without a record there is an alarm', async () => {
    const account = `/accounts/${trunkline.account.sid}`
    await trunkline.adminApi('PATCH', account, { isAdministrator: true })
    await rest('PUT', '/account', { e911: true })
    await authenticateBy(1)
    await trunkline.assignNumber(HELD, {})
    await rest('POST', '/e911', {
      address1: '350 Fifth Ave',
      city: 'New York',
      state: 'NY',
      zip: '10118',
      dn: HELD.slice(2),
      callername: 'Acme Ltd',
    })
    await using carrier = await startSipp({ scenario: 'uas-answers-and-waits', host: CARRIER })
    await useCarrier('acme', carrier, { prefixes: ['+1'] })
    await using psap = await startSipp({ scenario: 'uas-answers-and-waits', host: CARRIER })
    await useCarrier('psap', psap, { prefixes: [], emergency: true, maxCalls: 1 })

    // One call is up, which is as many as the account may have, and it owes money.
    await using ordinary = await startSipp({
      scenario: 'uac-waits-for-bye',
      host: PBX,
      service: CALLEE,
      target: `127.0.0.1:${lab.sipPort}`,
    })
    const up = await talking()
    await trunkline.adminApi('PATCH', account, { settings: { concurrentCalls: 1 } })
    await trunkline.adminApi('POST', `${account}/adjustments`, { amount: -100 })
    await call('uac-wants-486', PBX)

    await using alarms = await followEvents(trunkline)
    await call('uac-wants-403', PBX, { service: '911' })
    await waitUntil('the alarm is raised', () => alarms.has('"emergency"', '"refused"', STRANGER))
    await call('uac-calls-as', PBX, { service: '911', keys: { caller: HELD } })
    await psap.done
    const heard = psap.messages()
    expect(heard).toMatch(/^INVITE sip:911@/m)
    expect(heard).toMatch(/^Geolocation: <cid:.+>\r?$/m)
    expect(heard).toContain(`"Acme Ltd" <sip:${HELD}@`)
    expect(heard).toContain('Content-Type: application/pidf+xml')
    for (const part of ['A1>NY', 'A3>New York', 'RD>Fifth', 'STS>Ave', 'HNO>350'])
      expect(heard).toContain(`<ca:${part}<`)

    await trunkline.api('POST', `/Calls/${up}.json`, { Status: 'completed' })
    await ordinary.done
    await carrier.done
    await expectNothingLeft(trunkline)
  })

  async function talking(): Promise<string> {
    let sid = ''
    await waitUntil(
      'a call talks',
      async () => {
        const { body } = await trunkline.api('GET', '/Calls.json?Status=in-progress')
        const parent = (body['calls'] as { sid: string; direction: string }[]).find(
          ({ direction }) => direction === 'inbound',
        )
        sid = parent?.sid ?? ''
        return sid !== ''
      },
      LIMIT_MS,
    )
    return sid
  }
})
