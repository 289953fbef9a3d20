// Places and settles the calls of the kill test through the storage, with eight concurrent clients. It resumes
// the work of a killed worker, and prints a line per settled call.
import { createLedger } from '../../../dist/ledger/ledger.js'
import { findReservation, reserve } from '../../../dist/ledger/reservations.js'
import { openDatabase } from '../../../dist/platform/database/open-database.js'
import { cdrIdOf } from '../../../dist/rating/cdrs.js'
import { reserveFor } from '../../../dist/rating/rate.js'
import { settleCall } from '../../../dist/rating/settle-call.js'
import { MIGRATIONS } from '../../../dist/wiring/migrations.js'
import { callOf } from './billing-plan.mjs'

const CLIENTS = 8
const RESERVE_SECONDS = 60
const [place = '', node = '', from = '0', to = '0'] = process.argv.slice(2)

const db = await openDatabase(place, MIGRATIONS, node)
const ledger = createLedger({
  onLow: () => Promise.resolve(),
  thresholdOf: () => Promise.resolve(undefined),
})

let next = Number(from)

async function client() {
  for (;;) {
    const index = next
    next += 1
    if (index >= Number(to)) return
    const call = callOf(index)
    const done = await db.read
      .selectFrom('cdrs')
      .select('id')
      .where('id', '=', cdrIdOf(call.sid))
      .executeTakeFirst()
    if (done !== undefined) continue
    const { terms, sid } = call
    if (terms.perMinute > 0 && (await findReservation(db.read, sid)) === undefined)
      await db.write(
        (tx) =>
          reserve(tx, {
            reference: sid,
            accountSid: terms.billedSid,
            fit: (available) => reserveFor(terms, RESERVE_SECONDS, available),
            now: 1,
            expiresAt: 2,
          }),
        'read-committed',
      )
    await db.write((tx) => settleCall(tx, call, ledger), 'read-committed')
    process.stdout.write('settled\n')
  }
}

await Promise.all(Array.from({ length: CLIENTS }, client))
await db[Symbol.asyncDispose]()
