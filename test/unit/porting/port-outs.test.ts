import { expect, it } from 'vitest'
import { createHttpSeller } from '../../../src/numbers/http-seller.js'
import { accountApiFixture } from '../../support/account/account-api-fixture.js'
import { FakeNumberProvider } from '../../support/numbers/fake-number-provider.js'
import { stock, stocked } from '../../support/numbers/stock.js'

const BOUGHT = '+17755550111'
const STOCKED = '+12125550100'
const PIN = '4711'
const ten = (e164: string) => e164.slice(2)

/** The account API with a number in the inventory and one that a provider sells. */
async function setUp() {
  const provider = new FakeNumberProvider([BOUGHT])
  const server = { url: 'https://numbers.example', token: 'secret' }
  const t = await accountApiFixture({}, { seller: createHttpSeller(provider.outbound, server) })
  await stock(t.db, [stocked(STOCKED)])
  const order = async (e164: string) => {
    const { body } = await t.rest('POST', '/orders', { numbers: [ten(e164)] })
    return body['data']
  }
  /** Orders a number, and lets another carrier take it. */
  const portOut = async (e164: string) => {
    expect(await order(e164)).toMatchObject({ numbersOrdered: [ten(e164)] })
    await t.rest('PATCH', `/numbers/${ten(e164)}/port-out-pin`, { pin: PIN })
    const { portOuts } = t.porting
    const { sid } = await portOuts.begin({ e164, pin: PIN, gainingCarrier: 'Other' })
    await portOuts.complete(sid)
    expect((await t.rest('GET', `/numbers/${ten(e164)}`)).status).toBe(404)
  }
  return Object.assign(t, { provider, order, portOut })
}

it('a number of the provider that another carrier has taken is not given back to the provider', async () => {
  await using t = await setUp()
  await t.portOut(BOUGHT)
  expect(await t.db.read.selectFrom('number_give_backs').selectAll().execute()).toEqual([])
  expect(await t.db.read.selectFrom('number_purchases').selectAll().execute()).toEqual([])
})

it('a number of the inventory that another carrier has taken cannot be ordered any more', async () => {
  await using t = await setUp()
  await t.portOut(STOCKED)
  const found = await t.rest('GET', '/inventory?tnMask=212xxxxxxx')
  expect(found.body['data']).toEqual({ numbers: [] })
  expect(await t.order(STOCKED)).toMatchObject({
    numbersOrdered: [],
    failed: [{ number: ten(STOCKED) }],
  })
})
