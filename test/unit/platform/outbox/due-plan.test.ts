/** The plan is in the words of SQLite, so vitest.config.ts runs this file on no other engine. */
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { dueQuery } from '../../../../src/platform/outbox/outbox-store.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'

it('the outbox walks no backlog: what is due is found in the index, in order', async () => {
  using folder = tempFolder()
  await using db = await openTestDatabase(folder.path)
  const due = { accountSid: 'AC1', now: 1, limit: 8, node: 'a' }
  const plan = await dueQuery(db.read, due).explain<{ detail: string }>(undefined, sql`query plan`)
  const steps = plan.map((step) => step.detail)
  expect(steps[0]).toBe(
    'SEARCH outbox USING INDEX outbox_pending (accountSid=? AND nextAttemptAt<?)',
  )
  expect(steps.join()).not.toMatch(/SCAN|TEMP B-TREE/)
})
