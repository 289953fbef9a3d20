import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAccounts } from '../../../../src/accounts/accounts.js'
import { systemClock as clock } from '../../../../src/platform/clock.js'
import { openVault } from '../../../../src/platform/secrets.js'
import { insertCall } from '../../../../src/voice/calls/storage/call-storage.js'
import { CarrierClaims } from '../../../../src/voice/carriers/carrier-claims.js'
import { newCallRecord } from '../../../../src/voice/model/call-record.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'
import { PLAN } from '../../../support/voice/calls-fixture.js'

const CALLS = 200
const CAP = 7
const sids = Array.from({ length: CALLS }, (_, at) => `CA${at.toString(16).padStart(32, '0')}`)

it('200 calls at once get the slots of a carrier and not one more, by two nodes', async () => {
  using folder = tempFolder()
  await using db = await openTestDatabase(folder.path)
  const vault = openVault(join(folder.path, 'key'))
  const account = await createAccounts({ db, vault, clock }).create({ friendlyName: 'one' })
  await db.write(async (tx) => {
    for (const sid of sids) {
      const parties = { to: '+15005550001', from: '+15005551000', plan: PLAN }
      const about = { sid, accountSid: account.sid, direction: 'outbound-api', ...parties } as const
      await insertCall(tx, newCallRecord(about, 1), db.node)
    }
  })
  const nodes = [new CarrierClaims({ db, clock }), new CarrierClaims({ db, clock })] as const
  const nodeOf = (at: number) => nodes[at % 2 === 0 ? 0 : 1]
  const claimed = await Promise.all(
    sids.map(async (sid, at) => ((await nodeOf(at).claimSlot('acme', CAP, sid)) ? [sid] : [])),
  )
  const granted = claimed.flat()
  expect(granted).toHaveLength(CAP)
  expect(await nodes[0].callsThrough('acme')).toBe(CAP)
  await nodes[1].release(granted[0] ?? '')
  const again = await Promise.all(sids.slice(-2).map((sid) => nodes[0].claimSlot('acme', CAP, sid)))
  expect(again.sort()).toEqual([false, true])
})
