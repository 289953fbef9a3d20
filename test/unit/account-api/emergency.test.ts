import { describe, expect, it } from 'vitest'
import { EmergencyProviderError } from '../../../src/emergency/emergency-provider.js'
import { ProvisionSweep } from '../../../src/emergency/provision-sweep.js'
import { releaseNumber } from '../../../src/numbers/held-numbers.js'
import { accountApiFixture } from '../../support/account/account-api-fixture.js'
import { ADDRESS, EMERGENCY_DN } from '../../support/account/account-rows.js'

type Fixture = Awaited<ReturnType<typeof accountApiFixture>>

const SHOWN = { ...ADDRESS, addressid: 1, source: 'local-syntax-only' }
const RECORD = { dn: `1${EMERGENCY_DN}`, callername: 'Acme Ltd', ...SHOWN }
const NEW_RECORD = { ...ADDRESS, dn: EMERGENCY_DN, callername: 'Acme Ltd' }

/** The API for an account that holds a number and may store emergency addresses. */
async function fixture(): Promise<Fixture> {
  const t = await accountApiFixture()
  await t.hold(EMERGENCY_DN)
  await t.allowEmergency()
  return t
}

const listed = async (t: Fixture) =>
  ((await t.rest('GET', '/e911')).body['data'] as { records: unknown[] }).records

describe('a validated address', () => {
  it('says what has judged it, and makes a record later', async () => {
    await using t = await fixture()
    const validated = await t.rest('POST', '/e911/validate', ADDRESS)
    expect(validated.body).toEqual({ status: 'success', data: { address: SHOWN } })
    const put = await t.rest('PUT', `/e911/${EMERGENCY_DN}`, {
      addressid: 1,
      callername: 'Acme Ltd',
    })
    expect(put.status).toBe(200)
    expect(put.body).toEqual({ status: 'success', data: { record: RECORD } })
    const shown = await t.rest('GET', `/e911/${EMERGENCY_DN}`)
    expect(shown.body).toEqual({ status: 'success', data: { record: RECORD } })
    expect((await t.rest('GET', `/e911/1${EMERGENCY_DN}`)).body).toEqual(shown.body)
    expect(await listed(t)).toEqual([RECORD])
  })

  it('keeps its id when it is validated again', async () => {
    await using t = await fixture()
    await t.rest('POST', '/e911/validate', ADDRESS)
    const again = await t.rest('POST', '/e911/validations', { ...ADDRESS, city: ' New  York ' })
    expect(again.body).toEqual({ status: 'success', data: { address: SHOWN } })
  })

  it('belongs to the account that had it validated', async () => {
    await using t = await fixture()
    const other = await t.another('Other')
    await t.rest('POST', '/e911/validate', ADDRESS, other)
    const put = await t.rest('PUT', `/e911/${EMERGENCY_DN}`, { addressid: 1, callername: 'A' })
    expect(put.status).toBe(409)
    expect(await listed(t)).toEqual([])
  })

  it('is forgotten after ninety days', async () => {
    await using t = await fixture()
    await t.rest('POST', '/e911/validate', ADDRESS)
    t.clock.turn(91 * 86_400_000)
    const put = await t.rest('PUT', `/e911/${EMERGENCY_DN}`, { addressid: 1, callername: 'A' })
    expect(put.body).toMatchObject({
      error: { code: 409, message: expect.stringMatching(/addressid/) as string },
    })
  })

  it.each([
    ['state', 'ZZ', 409],
    ['zip', '90210', 409],
    ['address1', 'Fifth Avenue', 409],
    ['state', 'New York', 400],
    ['city', '', 400],
    ['city', 'New\nYork', 400],
  ])('does not have the %s %j', async (field, value, status) => {
    await using t = await fixture()
    const answer = await t.rest('POST', '/e911/validate', { ...ADDRESS, [field]: value })
    expect(answer.status).toBe(status)
    const { error } = answer.body as { error: { code: number; message: string } }
    expect(error.code).toBe(status)
    expect(error.message).toContain(field)
  })

  it('names the state that its ZIP code is of', async () => {
    await using t = await fixture()
    const answer = await t.rest('POST', '/e911/validate', { ...ADDRESS, zip: '90210' })
    expect(answer.body).toMatchObject({
      error: { message: 'zip: 90210 is no ZIP code of NY; perhaps state CA' },
      data: { field: 'zip', suggestion: { state: 'CA' } },
    })
  })
})

describe('a record', () => {
  it('is made of an address at once, replaced, and removed', async () => {
    await using t = await fixture()
    const made = await t.rest('POST', '/e911', NEW_RECORD)
    expect([made.status, made.body]).toEqual([201, { status: 'success', data: { record: RECORD } }])
    const moved = { ...ADDRESS, address1: '1 Wall St', zip: '10005', callername: 'Acme' }
    const replaced = await t.rest('POST', `/e911/${EMERGENCY_DN}`, moved)
    expect(replaced.status).toBe(201)
    expect(await listed(t)).toMatchObject([{ address1: '1 Wall St', callername: 'Acme' }])
    expect((await t.rest('DELETE', `/e911/${EMERGENCY_DN}`)).status).toBe(204)
    expect(await listed(t)).toEqual([])
    const again = await t.rest('DELETE', `/e911/${EMERGENCY_DN}`)
    expect(again.body).toMatchObject({ status: 'error', error: { code: 404 } })
    expect((await t.rest('GET', `/e911/${EMERGENCY_DN}`)).status).toBe(404)
  })

  it('needs the service flag of the account, and is read without it', async () => {
    await using t = await accountApiFixture()
    await t.hold(EMERGENCY_DN)
    for (const answer of [
      await t.rest('POST', '/e911', NEW_RECORD),
      await t.rest('PUT', `/e911/${EMERGENCY_DN}`, { addressid: 1, callername: 'A' }),
      await t.legacy('/e911/validateAndProvision/', NEW_RECORD),
    ])
      expect(answer.status).toBe(403)
    expect(await listed(t)).toEqual([])
  })

  it('is only of a number that the account holds', async () => {
    await using t = await fixture()
    const other = await t.another('Other')
    await t.hold('2125550199', other)
    for (const dn of ['2125550199', '2125550188']) {
      const made = await t.rest('POST', '/e911', { ...NEW_RECORD, dn })
      expect(made.body).toMatchObject({
        error: { code: 403, message: expect.stringMatching(/^dn: /) as string },
      })
    }
    expect((await t.rest('GET', '/e911/2125550199')).status).toBe(404)
    expect(await listed(t)).toEqual([])
  })

  it('goes with the number', async () => {
    await using t = await fixture()
    await t.rest('POST', '/e911', NEW_RECORD)
    const held = await t.hold(EMERGENCY_DN)
    await t.db.write((tx) => releaseNumber(tx, held, t.clock.now()))
    expect(await listed(t)).toEqual([])
    const other = await t.another('Other')
    await t.hold(EMERGENCY_DN, other)
    expect((await t.rest('GET', `/e911/${EMERGENCY_DN}`, undefined, other)).status).toBe(404)
  })

  it.each([
    ['given back', undefined],
    ['moved to another account', 'Other'],
  ])('is refused for a number that is %s while the provider is asked', async (_title, name) => {
    await using t = await fixture()
    const held = await t.hold(EMERGENCY_DN)
    t.provider.provision = async () => {
      await t.db.write((tx) => releaseNumber(tx, held, t.clock.now()))
      if (name !== undefined) await t.hold(EMERGENCY_DN, await t.another(name))
    }
    const message = `dn: +1${EMERGENCY_DN} is not a number of the account`
    const refused = await t.rest('POST', '/e911', NEW_RECORD)
    expect([refused.status, refused.body]).toEqual([
      403,
      { status: 'error', error: { code: 403, message } },
    ])
    expect(await listed(t)).toEqual([])
  })

  it('is made once for one Idempotency-Key', async () => {
    await using t = await fixture()
    const ask = () =>
      t.send('POST', '/v2.2/e911', NEW_RECORD, {
        key: t.account.secret,
        headers: { 'idempotency-key': 'e911-1' },
      })
    const [first, second] = [await ask(), await ask()]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
  })

  it('is removed once for one Idempotency-Key, and the answer is repeated', async () => {
    await using t = await fixture()
    const remove = t.provider.remove
    let removals = 0
    t.provider.remove = async (number) => {
      removals += 1
      await remove(number)
    }
    const requests = [
      ['DELETE', `/v2.2/e911/${EMERGENCY_DN}`, undefined],
      ['POST', '/v2.1/e911/removeRecord/', { dn: EMERGENCY_DN }],
    ] as const
    for (const [method, path, body] of requests) {
      await t.rest('POST', '/e911', NEW_RECORD)
      removals = 0
      const headers = { 'idempotency-key': method }
      const ask = () => t.send(method, path, body, { key: t.account.secret, headers })
      const [first, second] = [await ask(), await ask()]
      expect([method, first.status]).toEqual([method, method === 'DELETE' ? 204 : 200])
      expect(second.status).toBe(first.status)
      expect(second.text).toBe(first.text)
      expect(removals).toBe(1)
    }
    expect(await listed(t)).toEqual([])
  })

  it.each(['212555014', '1125550143', 'abc', '12125550143'])('has no dn %s', async (dn) => {
    await using t = await fixture()
    const answer = await t.rest('POST', '/e911', { ...NEW_RECORD, dn })
    expect(answer.body).toMatchObject({
      error: { code: 400, message: expect.stringMatching(/^dn: /) as string },
    })
  })

  it.each([0, -1, 1.5, '1'])('has no addressid %j', async (addressid) => {
    await using t = await fixture()
    const answer = await t.rest('PUT', `/e911/${EMERGENCY_DN}`, { addressid, callername: 'A' })
    expect(answer.status).toBe(400)
  })
})

describe('a provider that is away', () => {
  it('leaves nothing behind, and the answer says so', async () => {
    await using t = await fixture()
    t.provider.provision = () => Promise.reject(new EmergencyProviderError('it is away'))
    const made = await t.rest('POST', '/e911', NEW_RECORD)
    expect(made.body).toEqual({ status: 'error', error: { code: 502, message: 'it is away' } })
    expect(await listed(t)).toEqual([])
  })

  it('keeps a record that it could not remove', async () => {
    await using t = await fixture()
    await t.rest('POST', '/e911', NEW_RECORD)
    t.provider.remove = () => Promise.reject(new EmergencyProviderError('it is away'))
    expect((await t.rest('DELETE', `/e911/${EMERGENCY_DN}`)).status).toBe(502)
    expect(await listed(t)).toEqual([RECORD])
  })
})

describe('the record that the provider has', () => {
  /** The API, a provider that remembers its records, and the removal of those that nothing needs. */
  async function kept() {
    const t = await fixture()
    const records = new Set<string>()
    const provision = t.provider.provision
    t.provider.provision = async (record) => {
      await provision(record)
      records.add(record.number)
    }
    t.provider.remove = (number) => {
      records.delete(number)
      return Promise.resolve()
    }
    const { db, clock, provider } = t
    const sweep = new ProvisionSweep({ db, clock, log: t.deps.log, provider })
    const swept = async (minutes: number) => {
      t.clock.turn(minutes * 60_000)
      await sweep.settled()
      return [...records]
    }
    const close = async () => {
      await sweep[Symbol.asyncDispose]()
      await t[Symbol.asyncDispose]()
    }
    return { t, records, swept, [Symbol.asyncDispose]: close }
  }
  const E164 = `+1${EMERGENCY_DN}`

  it('goes when the number is lost while the provider is asked', async () => {
    await using set = await kept()
    const { t, swept } = set
    const held = await t.hold(EMERGENCY_DN)
    const provision = t.provider.provision
    t.provider.provision = async (record) => {
      await provision(record)
      await t.db.write((tx) => releaseNumber(tx, held, t.clock.now()))
    }
    expect((await t.rest('POST', '/e911', NEW_RECORD)).status).toBe(403)
    expect(await swept(0)).toEqual([E164])
    expect(await swept(6)).toEqual([])
  })

  it('goes with the number that is given back, and stays with one that is kept', async () => {
    await using set = await kept()
    const { t, swept } = set
    await t.hold('2125550199')
    await t.rest('POST', '/e911', NEW_RECORD)
    await t.rest('POST', '/e911', { ...NEW_RECORD, dn: '2125550199' })
    expect(await swept(6)).toEqual([E164, '+12125550199'])
    const held = await t.hold(EMERGENCY_DN)
    await t.db.write((tx) => releaseNumber(tx, held, t.clock.now()))
    expect(await swept(6)).toEqual(['+12125550199'])
  })

  it('goes when the provider failed after it had stored it', async () => {
    await using set = await kept()
    const { t, records, swept } = set
    t.provider.provision = ({ number }) => {
      records.add(number)
      return Promise.reject(new EmergencyProviderError('its answer was lost'))
    }
    expect((await t.rest('POST', '/e911', NEW_RECORD)).status).toBe(502)
    expect(await swept(6)).toEqual([])
  })

  it('goes once the provider that was away answers', async () => {
    await using set = await kept()
    const { t, swept } = set
    await t.rest('POST', '/e911', NEW_RECORD)
    const held = await t.hold(EMERGENCY_DN)
    await t.db.write((tx) => releaseNumber(tx, held, t.clock.now()))
    const { remove } = t.provider
    t.provider.remove = () => Promise.reject(new EmergencyProviderError('it is away'))
    expect(await swept(6)).toEqual([E164])
    t.provider.remove = remove
    expect(await swept(6)).toEqual([])
  })

  it('is removed by one of the servers that share the database', async () => {
    await using set = await kept()
    const { t, swept } = set
    await t.rest('POST', '/e911', NEW_RECORD)
    const held = await t.hold(EMERGENCY_DN)
    await t.db.write((tx) => releaseNumber(tx, held, t.clock.now()))
    // The rest of it is inherited: to copy it would read its getters once.
    const db = Object.assign(Object.create(t.db) as typeof t.db, { node: 'another' })
    const { clock, provider } = t
    await using another = new ProvisionSweep({ db, clock, log: t.deps.log, provider })
    const { remove } = t.provider
    let removals = 0
    t.provider.remove = async (number) => {
      removals += 1
      await another.settled()
      await remove(number)
    }
    expect(await swept(6)).toEqual([])
    expect(removals).toBe(1)
  })

  it('is not replaced while it is removed: the request is repeated', async () => {
    await using set = await kept()
    const { t, swept } = set
    await t.rest('POST', '/e911', NEW_RECORD)
    const held = await t.hold(EMERGENCY_DN)
    await t.db.write((tx) => releaseNumber(tx, held, t.clock.now()))
    const other = await t.another('Other')
    await t.allowEmergency(other)
    await t.hold(EMERGENCY_DN, other)
    const { remove } = t.provider
    const met: number[] = []
    t.provider.remove = async (number) => {
      met.push((await t.rest('POST', '/e911', NEW_RECORD, other)).status)
      await remove(number)
    }
    expect(await swept(6)).toEqual([])
    expect(met).toEqual([502])
    expect((await t.rest('POST', '/e911', NEW_RECORD, other)).status).toBe(201)
    expect(await swept(6)).toEqual([E164])
  })
})

it('the legacy style does the same with its own keys', async () => {
  await using t = await fixture()
  const done = { statusCode: '200', status: 'Success' }
  const validated = await t.legacy('/e911/validateAddress/', ADDRESS)
  expect(validated.body).toEqual({ ...done, entry_valid: SHOWN })
  const provision = { dn: Number(EMERGENCY_DN), addressid: 1, callername: 'Acme Ltd' }
  const provisioned = await t.legacy('/e911/provisionAddress/', provision)
  expect(provisioned.body).toEqual({ ...done, entry_added: RECORD })
  expect((await t.legacy('/e911/queryAll/')).body).toEqual({ ...done, entry_all: [RECORD] })
  const found = await t.legacy('/e911/queryRecord/', { dn: EMERGENCY_DN })
  expect(found.body).toEqual({ ...done, entry_query: RECORD })
  const asShown = await t.legacy('/e911/queryRecord/', { dn: RECORD.dn })
  expect(asShown.body).toEqual({ ...done, entry_query: RECORD })
  for (const dn of [123, [EMERGENCY_DN]])
    expect((await t.legacy('/e911/queryRecord/', { dn })).body).toMatchObject({ statusCode: '400' })
  expect(JSON.stringify((await t.legacy('/e911/queryRecord/', { dn: 123 })).body)).toContain(
    'ten digits of a North American number',
  )
  const removed = await t.legacy('/e911/removeRecord/', { dn: EMERGENCY_DN })
  expect(removed.body).toEqual({ ...done, entry_removed: RECORD })
  expect((await t.legacy('/e911/queryRecord/', { dn: EMERGENCY_DN })).body).toMatchObject({
    statusCode: '404',
    status: 'Error',
  })
  const made = await t.legacy('/e911/validateAndProvision/', NEW_RECORD)
  expect(made.body).toEqual({ ...done, entry_added: RECORD })
})
