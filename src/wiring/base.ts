/** What every feature stands on: the database, its keys, and the way out. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createAccounts } from '../accounts/accounts.js'
import { ensureFirstAccount } from '../accounts/first-account.js'
import { type Config, isLoopback } from '../config.js'
import { createPhoneNumbers } from '../numbers/phone-numbers.js'
import { systemClock as clock } from '../platform/clock.js'
import { openDatabase } from '../platform/database/database.js'
import type { Disposer } from '../platform/disposer.js'
import { createOutbound } from '../platform/http/outbound.js'
import type { Logger } from '../platform/log.js'
import { openVault } from '../platform/secrets.js'
import { createWebhooks } from '../platform/webhooks/fetch-webhook.js'
import { createEventLog } from '../voice/events/event-log.js'
import { MIGRATIONS } from './migrations.js'

export const VERSION = '0.1.0'

export type Base = Awaited<ReturnType<typeof openBase>>

export async function openBase(config: Config, log: Logger, disposer: Disposer) {
  const dataDir = resolve(config.dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const db = disposer.use(openDatabase(join(dataDir, 'trunkline.db'), MIGRATIONS))
  const vault = openVault(join(dataDir, 'vault.key'))
  const accounts = createAccounts({ db, vault, clock })
  const firstAccountFile = join(dataDir, 'first-account.json')
  const firstAccount = await ensureFirstAccount(accounts, config.firstAccount, firstAccountFile)
  const policy = addressPolicy(config)
  const outbound = disposer.use(createOutbound({ policy, clock, log }))
  return {
    ...{ dataDir, db, vault, accounts, firstAccount, policy, outbound },
    numbers: createPhoneNumbers({ db, clock }),
    events: disposer.use(createEventLog({ db, clock, log })),
    webhooks: createWebhooks({ outbound, clock, version: VERSION }),
  }
}

function addressPolicy(config: Config) {
  const isLocalLab = config.servers.type === 'lab' && isLoopback(config.http.host)
  return {
    mode: isLocalLab ? ('allow-private' as const) : ('public-only' as const),
    allow: config.allowedPrivateCidrs,
  }
}
