import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from '../../../src/config.js'
import { systemClock } from '../../../src/platform/clock.js'
import { Disposer } from '../../../src/platform/disposer.js'
import { createLogger } from '../../../src/platform/log.js'
import { Outbox } from '../../../src/platform/outbox/outbox.js'
import { openBase, type Surroundings } from '../../../src/wiring/base.js'
import { wireLedger } from '../../../src/wiring/ledger.js'
import { textOf } from '../../support/mail/smtp-sink.js'
import { tempFolder } from '../../support/process/temp-folder.js'
import { databaseSetting, openTestDatabase } from '../../support/process/test-database.js'
import { waitUntil } from '../../support/time/wait-until.js'

const nobody = () => Promise.reject(new Error('no such host'))

it('a low balance is mailed after the commit of its entry, not when the outbox happens to look', async () => {
  await using disposer = new Disposer()
  const folder = disposer.use(tempFolder())
  const config = readConfig({ DATA_DIR: folder.path, ...(await databaseSetting(folder.path)) })
  const surroundings: Surroundings = {
    clock: systemClock,
    random: () => 0,
    log: createLogger('silent'),
    openDatabase: (_place, _migrations, node) => openTestDatabase(folder.path, node),
    resolve: nobody,
    resolveService: () => Promise.resolve([]),
    resolveNaptr: () => Promise.resolve([]),
  }
  const base = await openBase(config, surroundings, disposer)
  // It looks by itself in an hour.
  const outbox = disposer.use(new Outbox({ ...base, limits: { discoverMs: 3_600_000 } }))
  const { ledger } = wireLedger(base, outbox)
  outbox.start()
  await outbox.settled()
  const { sid } = await base.accounts.create({
    friendlyName: 'Acme',
    profile: { email: 'owner@acme.example', notify: true, notifyThreshold: 5 },
  })
  for (const [key, amount] of [
    ['up', 60_000],
    ['down', -20_000],
  ] as const)
    await base.db.write((tx) =>
      ledger.post(tx, {
        key,
        accountSid: sid,
        cause: 'adjustment',
        reference: '',
        amount,
        description: '',
        at: base.clock.now(),
      }),
    )
  const mails = () => {
    const home = join(folder.path, 'mail')
    return readdirSync(folder.path).includes('mail')
      ? readdirSync(home).filter((name) => name.endsWith('.eml'))
      : []
  }
  await waitUntil('the mail is kept', () => mails().length === 1)
  const [name = ''] = mails()
  const text = textOf(readFileSync(join(folder.path, 'mail', name), 'utf8'))
  expect(text).toContain('is 4.0000 dollars, below 5.0000')
})
