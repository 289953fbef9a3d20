import { expect, it } from 'vitest'
import { changeNumberSettings } from '../../../../src/numbers/number-settings.js'
import { PLAN, setUpCalls } from '../../../support/voice/calls-fixture.js'

const NUMBER = '+12125550143'

it('a call shows the name that is set for its number, until it is cleared', async () => {
  await using t = await setUpCalls()
  const { number } = await t.numbers.assign(t.account.sid, NUMBER, {})
  const name = (callerName: string | null) =>
    t.db.write((tx) => changeNumberSettings(tx, number.sid, { callerName }, t.clock.now()))
  const dialled = async (from: string) => {
    const before = t.telephony.legs.length
    await t.calls.create(t.account, { to: '+15005550002', from, plan: PLAN })
    return (await t.telephony.leg(before)).request?.from
  }
  expect((await dialled(NUMBER))?.displayName).toBeUndefined()
  await name('ACME INC')
  expect(await dialled(NUMBER)).toMatchObject({ user: NUMBER, displayName: 'ACME INC' })
  expect((await dialled('+15005550000'))?.displayName).toBeUndefined()
  await name(null)
  expect((await dialled(NUMBER))?.displayName).toBeUndefined()
})
