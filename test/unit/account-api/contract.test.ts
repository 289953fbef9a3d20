import { describe, expect, it } from 'vitest'
import type { Account } from '../../../src/accounts/accounts.js'
import type { Answer, Body } from '../../support/account/account-api-fixture.js'
import {
  type AccountRow,
  ADDRESS,
  EMERGENCY_DN,
  type Shape,
} from '../../support/account/account-rows.js'
import {
  ALL_LEGACY_ROWS,
  ALL_NUMBERING_ROWS,
  ALL_REST_ROWS,
} from '../../support/account/all-rows.js'
import { billedApiFixture } from '../../support/account/billed-api-fixture.js'
import { MADE_PORT, PORTED_NUMBER } from '../../support/account/port-rows.js'
import { hold, stock, stocked } from '../../support/numbers/stock.js'
import { SUBSCRIBER } from '../../support/porting/port-samples.js'

type Fixture = Awaited<ReturnType<typeof billedApiFixture>>
type Row = AccountRow

const LEGACY_STYLE = [...ALL_LEGACY_ROWS, ...ALL_NUMBERING_ROWS]

/** Prepares what a row needs, and resolves with the account that asks. */
async function callerOf(t: Fixture, { needs }: Row): Promise<Account | undefined> {
  if (needs === 'no-key') return undefined
  if (needs?.endsWith('administrator') === true) {
    const administrator = await t.accounts.create({
      friendlyName: 'Operator',
      profile: { isAdministrator: true },
    })
    await prepare(t, needs, administrator)
    return administrator
  }
  await prepare(t, needs, t.account)
  return t.account
}

async function prepare(t: Fixture, needs: Row['needs'], caller: Account): Promise<void> {
  if (needs?.startsWith('checked') === true || needs === 'port') await checkNumber(t, caller)
  if (needs === 'acl-entry') await t.deps.lists.add(t.account.sid, ['8.8.8.0/24'])
  if (needs === 'money') await t.fill()
  if (needs?.startsWith('gateway') === true)
    await t.deps.gateways.add(t.account.sid, { gateway: '8.8.8.8', prefix: '', limit: 23 })
  await prepareNumbers(t, needs, caller)
  if (needs === 'registration') t.register('sip:1001@192.0.2.7:5060', 'Softphone 1.0')
  if (needs?.startsWith('emergency') === true) await prepareEmergency(t, needs)
}

async function prepareNumbers(t: Fixture, needs: Row['needs'], caller: Account): Promise<void> {
  if (needs === 'stock') await stock(t.db, [stocked('+12025550111'), stocked('+12025550112')])
  if (needs === 'number' || needs === 'gateway-number')
    await hold(t.db, t.account.sid, '+12025550111')
  if (needs === 'gateway-number') await sendToGateway(t, '/numbers/2025550111')
  if (needs === 'message') await sendOne(t, caller)
  if (needs === 'media-message') await sendOne(t, caller, ['https://app.test/cat.png'])
}

/** Routes a number to the gateway of the rows, and forwards it. */
async function sendToGateway(t: Fixture, path: string): Promise<void> {
  expect((await t.rest('PUT', `${path}/route`, { route: 101 })).status).toBe(200)
  const destination = '+12125550199'
  expect((await t.rest('PUT', `${path}/forward`, { destination })).status).toBe(200)
}

/** Gives the account a number, and sends a message from it. */
async function sendOne(
  t: Fixture,
  caller: Account,
  mediaUrls: readonly string[] = [],
): Promise<void> {
  await hold(t.db, t.account.sid, '+12025550111')
  const text = { fromNumber: '2025550111', toNumber: '3035550142', text: 'Hello', mediaUrls }
  expect((await t.rest('POST', '/messages', text, caller)).status).toBe(201)
}

/** Makes the number of the rows ready for a port: it is portable, and the fee is there. */
async function checkNumber(t: Fixture, as: Account): Promise<void> {
  await t.rest('GET', `/ports/availability/${PORTED_NUMBER}`, undefined, as)
  await t.fund(100, as)
}

/** The path of a row with the pid of the port that it needs. */
async function withPort(t: Fixture, { needs }: Row, path: string): Promise<string> {
  if (needs !== 'port') return path
  const made = await t.rest('POST', '/account/port', { did: [PORTED_NUMBER], ...SUBSCRIBER })
  return path.replace(MADE_PORT, String((made.body['data'] as Body)['pid']))
}

/** Gives the account a number, a validated address, and a record where the row needs one. */
async function prepareEmergency(t: Fixture, needs: NonNullable<Row['needs']>): Promise<void> {
  await t.hold(EMERGENCY_DN)
  await t.allowEmergency()
  const validated = await t.rest('POST', '/e911/validate', ADDRESS)
  expect(validated.body).toMatchObject({ data: { address: { addressid: 1 } } })
  if (needs === 'emergency-address') return
  const record = { ...ADDRESS, dn: EMERGENCY_DN, callername: 'Acme Ltd' }
  expect((await t.rest('POST', '/e911', record)).status).toBe(201)
}

async function ask(t: Fixture, row: Row, path: string, body: Body | undefined): Promise<Answer> {
  const caller = await callerOf(t, row)
  const named = await withPort(t, row, path)
  const target = row.query === undefined ? named : `${named}?${row.query}`
  const isLegacy = !path.startsWith('/v2.2')
  const keyed =
    isLegacy && caller !== undefined ? { apikey: caller.secret, ...body } : (body ?? undefined)
  const key = isLegacy || caller === undefined ? {} : { key: caller.secret }
  return await t.send(row.method, target, keyed, key)
}

/** The types of a value: of every field, and of the items of a list, each once; as deep as `like`. */
function shapeOf(value: unknown, like: unknown): Shape {
  if (typeof value !== 'object' || value === null) return typeof value
  if (typeof like !== 'object') return Array.isArray(value) ? 'array' : 'object'
  if (!Array.isArray(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        name,
        shapeOf(field, (like as Readonly<Record<string, unknown>>)[name]), // as it is no list
      ]),
    )
  const shapes = value.map((item) => shapeOf(item, Array.isArray(like) ? like[0] : undefined))
  return [...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values()]
}

const filled = (path: string, { params = {} }: Row) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')

const each = (rows: readonly Row[]) =>
  rows.flatMap((row) =>
    row.paths
      .flatMap((path) => [path.replace(/\/$/, ''), path.replace(/\/?$/, '/')])
      .map((path) => [`${row.method} ${path}`, filled(path, row), row] as const),
  )
const missing = (rows: readonly Row[]) =>
  rows.flatMap((row) => row.required.map((field) => [row.id, field, row] as const))

describe('the REST style', () => {
  it.each(each(ALL_REST_ROWS))('%s answers every field of its row', async (_title, path, row) => {
    await using t = await billedApiFixture()
    const answer = await ask(t, row, path, row.body)
    expect(answer.status, answer.text).toBe(row.status)
    if (row.status === 204) {
      expect(answer.text).toBe('')
      return
    }
    expect(Object.keys(answer.body)).toEqual(['status', 'data'])
    expect(answer.body['status']).toBe('success')
    expect(shapeOf(answer.body['data'], row.fields)).toEqual(row.fields)
  })

  it.each(missing(ALL_REST_ROWS))('%s needs %s', async (_id, field, row) => {
    await using t = await billedApiFixture()
    const answer = await ask(t, row, filled(row.paths[0] ?? '', row), {
      ...row.body,
      [field]: undefined,
    })
    expect(answer.status).toBe(400)
    const message = `Field Required: ${field}`
    expect(answer.body).toEqual({ status: 'error', error: { code: 400, message } })
  })

  it.each(each(ALL_REST_ROWS))('%s without a key is as its row says', async (_title, path, row) => {
    await using t = await billedApiFixture()
    const answer = await t.send(row.method, path, row.body)
    if (row.needs === 'no-key') expect(answer.status).toBe(row.status)
    else expect([answer.status, answer.body['status']]).toEqual([401, 'error'])
  })
})

describe('the legacy style', () => {
  it.each(each(LEGACY_STYLE))('%s answers every key of its row', async (_title, path, row) => {
    await using t = await billedApiFixture()
    const answer = await ask(t, row, path, row.body)
    expect(answer.status, answer.text).toBe(row.status)
    const { statusCode, status, ...keys } = answer.body
    expect([statusCode, status]).toEqual(['200', 'Success'])
    expect(shapeOf(keys, row.fields)).toEqual(row.fields)
  })

  it.each(missing(LEGACY_STYLE))('%s needs %s', async (_id, field, row) => {
    await using t = await billedApiFixture()
    const answer = await ask(t, row, filled(row.paths[0] ?? '', row), {
      ...row.body,
      [field]: undefined,
    })
    const message = `Field Required: ${field}`
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ statusCode: '400', status: 'Error', message })
  })

  it.each(each(LEGACY_STYLE))('%s without a key is as its row says', async (_title, path, row) => {
    await using t = await billedApiFixture()
    const answer = await t.send(row.method, path, row.body)
    if (row.needs === 'no-key') expect(answer.body['statusCode']).toBe('200')
    else expect(answer.body['message']).toBe('Field Required: apikey')
  })
})

it('the registration is that of the REST style too', async () => {
  await using t = await billedApiFixture()
  t.register('sip:1001@192.0.2.7:5060', 'Softphone 1.0')
  expect((await t.rest('GET', '/account/registration')).body).toEqual({
    status: 'success',
    data: { agent: 'Softphone 1.0', uri: 'sip:1001@192.0.2.7:5060' },
  })
})
