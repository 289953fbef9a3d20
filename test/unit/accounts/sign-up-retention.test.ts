import { expect, it } from 'vitest'
import { accountApiFixture } from '../../support/account/account-api-fixture.js'

const DAY = 24 * 3_600_000

it('a sign-up that nobody confirms is closed after a week, and its address forgotten', async () => {
  await using t = await accountApiFixture()
  const { signUps } = t.deps
  const wanted = { name: 'Jane', email: 'jane@reader.example', passwordHash: 'x' }
  const old = await signUps.signUp(wanted)
  await t.mailed()
  t.clock.turn(7 * DAY)
  const young = await signUps.signUp({ ...wanted, email: 'joe@reader.example' })
  await t.mailed()
  t.clock.turn(1)
  await using _retention = signUps.startRetention()
  const statusOf = async (sid: string) =>
    (await t.db.read.selectFrom('accounts').select('status').where('sid', '=', sid).execute())[0]
      ?.status
  await expect.poll(() => statusOf(old.sid)).toBe('closed')
  expect(await statusOf(young.sid)).toBe('unverified')
  const row = await t.db.read
    .selectFrom('accounts')
    .select(['email', 'emailFolded', 'passwordHash'])
    .where('sid', '=', old.sid)
    .executeTakeFirst()
  expect(row).toEqual({ email: null, emailFolded: null, passwordHash: null })
  const links = await t.db.read.selectFrom('account_links').select('accountSid').execute()
  expect(links).toEqual([{ accountSid: young.sid }])
})
