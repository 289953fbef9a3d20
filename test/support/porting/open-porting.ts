import type { Accounts } from '../../../src/accounts/accounts.js'
import { createRecurringCharges } from '../../../src/ledger/recurring-charges.js'
import type { Mailer } from '../../../src/mail/mail.js'
import { systemRouteName } from '../../../src/numbers/system-routes.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createFolderFiles } from '../../../src/platform/files/folder-files.js'
import type { Logger } from '../../../src/platform/log.js'
import type { Outbox } from '../../../src/platform/outbox/outbox.js'
import type { Vault } from '../../../src/platform/secrets.js'
import type { LosingCarrier } from '../../../src/porting/losing-carrier.js'
import { createPortLinks } from '../../../src/porting/port-links.js'
import { portMailChannel } from '../../../src/porting/port-mails.js'
import { createPorting, type Porting } from '../../../src/porting/porting.js'
import { createSimulatedCarrier } from '../../../src/porting/simulated-carrier.js'
import { quietLedger } from '../billing/quiet-ledger.js'
import type { TurnableClock } from '../registry/registry-fixture.js'

/** A gateway that exists for every account here. */
export const GATEWAY = 101
/** A campaign that expires before its numbers are assigned. */
export const DEAD_CAMPAIGN = 'CDEAD00'
/** A campaign of another account. */
export const FOREIGN_CAMPAIGN = 'CELSE00'
/** Monthly rate of a number, in 1/10,000 dollar. */
export const MONTHLY_RATE = 15_000

export interface PortingParts {
  readonly db: Database
  readonly clock: TurnableClock
  readonly log: Logger
  readonly vault: Vault
  readonly accounts: Accounts
  readonly mailer: Mailer
  readonly outbox: Outbox
  readonly folder: string
  readonly carrier?: LosingCarrier
  /** Called for each number that is assigned to a campaign. */
  readonly onCampaign?: (campaignId: string, e164: string) => void
}

/** Porting with the simulated carrier and a clock that the test advances; `start` begins polling. */
export function openPorting(parts: PortingParts): Porting {
  const { db, clock, log, vault, accounts, mailer, outbox } = parts
  const ledger = quietLedger()
  const links = createPortLinks(vault, 'http://trunkline.test')
  const recurring = createRecurringCharges({ db, clock, log, ledger })
  const porting = createPorting({
    db,
    clock,
    turned: {
      now: () => clock.now(),
      turn: (ms) => {
        clock.turn(ms)
        return Promise.resolve()
      },
    },
    log,
    vault,
    carrier: parts.carrier ?? createSimulatedCarrier(),
    mails: outbox.open(portMailChannel({ accounts, mailer, links })),
    links,
    ledger,
    recurring,
    monthlyRate: () => Promise.resolve(MONTHLY_RATE),
    hasRoute: (_read, _sid, id) =>
      Promise.resolve(systemRouteName(id) !== undefined || id === GATEWAY),
    campaignProblem: (_read, _sid, id) =>
      Promise.resolve(id === FOREIGN_CAMPAIGN ? `there is no campaign ${id}` : undefined),
    joinCampaign: (_sid, campaignId, e164) => {
      if (campaignId === DEAD_CAMPAIGN) return Promise.resolve('the campaign has expired')
      parts.onCampaign?.(campaignId, e164)
      return Promise.resolve(undefined)
    },
    keepFiles: (kind) => createFolderFiles(kind, log),
    folder: `${parts.folder}/ports`,
  })
  return {
    ...porting,
    [Symbol.asyncDispose]: async () => {
      await porting[Symbol.asyncDispose]()
      await recurring[Symbol.asyncDispose]()
    },
  }
}
