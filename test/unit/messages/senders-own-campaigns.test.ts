import { beforeEach, describe, expect, it } from 'vitest'
import { createAccounts } from '../../../src/accounts/accounts.js'
import { sendersOwnCampaigns } from '../../../src/messages/sending/sender.js'
import {
  findHeldNumber,
  holdNumber,
  isFreeOrTheirs,
  releaseNumber,
} from '../../../src/numbers/held-numbers.js'
import { systemClock } from '../../../src/platform/clock.js'
import type { Database } from '../../../src/platform/database/database.js'
import { type AccountSid, newSid } from '../../../src/platform/ids.js'
import { openVault } from '../../../src/platform/secrets.js'
import { CAMPAIGN } from '../../support/messages/permit-all.js'
import { tempFolder } from '../../support/process/temp-folder.js'
import { openTestDatabase } from '../../support/process/test-database.js'

const NUMBER = '+12025550111'
const TEXTS = { voice: true, sms: true, mms: false, fax: false }
const ALLOWED = { isAllowed: true, ...CAMPAIGN } as const
const NONE = { isAllowed: false, reason: 'no-campaign' } as const

let db: Database
let accounts: ReturnType<typeof createAccounts>
let first: AccountSid
let second: AccountSid

const accountNamed = async (friendlyName: string, masterSid?: AccountSid) =>
  (await accounts.create({ friendlyName, profile: { masterSid } })).sid

const hold = async (accountSid: string) => {
  const held = await findHeldNumber(db.read, NUMBER)
  const number = { sid: newSid('PN'), accountSid, e164: NUMBER, capabilities: TEXTS }
  await db.write(async (tx) => {
    if (held !== undefined) await releaseNumber(tx, held, systemClock.now())
    await holdNumber(tx, number, systemClock.now())
  })
}

/** What the number may do under a campaign of the account. */
const underCampaignOf = (accountSid: string | undefined) =>
  sendersOwnCampaigns(db, () => Promise.resolve({ ...ALLOWED, accountSid }))(NUMBER)

beforeEach(async () => {
  const folder = tempFolder()
  db = await openTestDatabase(folder.path)
  const vault = openVault(`${folder.path}/vault.key`)
  accounts = createAccounts({ db, vault, clock: systemClock })
  first = await accountNamed('First')
  second = await accountNamed('Second')
  return async () => {
    await db[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  }
})

describe('a number under a campaign', () => {
  it('sends for the campaign of the account that holds it', async () => {
    await hold(first)
    expect(await underCampaignOf(first)).toMatchObject({ isAllowed: true })
  })

  it('does not send for the campaign of the account that held it before', async () => {
    await hold(first)
    await hold(second)
    expect(await underCampaignOf(first)).toEqual(NONE)
    expect(await underCampaignOf(undefined)).toEqual(NONE)
    expect(await underCampaignOf(second)).toMatchObject({ isAllowed: true })
  })

  it("sends for the campaign of its holder's master", async () => {
    await hold(await accountNamed('Part of first', first))
    expect(await underCampaignOf(first)).toMatchObject({ isAllowed: true })
    expect(await underCampaignOf(second)).toEqual(NONE)
  })
})

it('an account may put a number under a campaign that it holds, or that nobody here holds', async () => {
  const may = (accountSid: string) => isFreeOrTheirs(db.read, accountSid, NUMBER)
  expect(await may(first)).toBe(true)
  await hold(second)
  expect(await may(first)).toBe(false)
  expect(await may(second)).toBe(true)
})
