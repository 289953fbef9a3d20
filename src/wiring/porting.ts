/** Wires porting: the losing carrier, what a completed port sets, and the mails. */
import { join } from 'node:path'
import { routeNameOf } from '../numbers/number-routes.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import { openTurnedClock } from '../platform/turned-clock/turned-clock.js'
import { createOperatorCarrier } from '../porting/operator-carrier.js'
import { createPortLinks } from '../porting/port-links.js'
import { portMailChannel } from '../porting/port-mails.js'
import { createPorting, type Porting, type PortingDeps } from '../porting/porting.js'
import { createSimulatedCarrier } from '../porting/simulated-carrier.js'
import { accountRatesOf } from '../rating/account-rates.js'
import { RegistryError } from '../registry/model/registry-error.js'
import type { Registry } from '../registry/registry.js'
import type { Base } from './base.js'
import type { Files } from './files.js'
import type { Billing } from './ledger.js'
import { wireMail } from './mail.js'

export interface PortingParts {
  readonly outbox: Outbox
  readonly billing: Pick<Billing, 'ledger' | 'recurring'>
  readonly files: Pick<Files, 'keep'>
  readonly registry: Pick<Registry, 'numbers'>
  readonly publicUrl: string
}

/** The parts of a rate, in millionths of a dollar, that one unit of the ledger has. */
const MICROS_PER_UNIT = 100

/** Makes porting. It opens a channel, so it is wired before the outbox starts. */
export async function wirePorting(base: Base, parts: PortingParts): Promise<Porting> {
  const { accounts, clock, config, dataDir, db, disposer, gateways, log, vault } = base
  const { billing, files, outbox, publicUrl, registry } = parts
  const links = createPortLinks(vault, publicUrl)
  const mails = outbox.open(portMailChannel({ accounts, mailer: wireMail(base), links }))
  const isSimulated = config.portCarrier === 'simulated'
  // Nothing beside the lab is real: an operator may turn the clock of its ports forward.
  const isTurnable = isSimulated && config.servers.type === 'lab'
  const porting = disposer.use(
    createPorting({
      db,
      clock,
      turned: isTurnable ? await openTurnedClock(db, 'ports', clock) : undefined,
      log,
      vault,
      carrier: isSimulated ? createSimulatedCarrier() : createOperatorCarrier(),
      mails,
      links,
      ledger: billing.ledger,
      recurring: billing.recurring,
      monthlyRate: async (read, sid) =>
        Math.ceil(((await accountRatesOf(read, sid)).did ?? 0) / MICROS_PER_UNIT),
      hasRoute: async (read, accountSid, route) =>
        (await routeNameOf(read, gateways, { accountSid, route })) !== undefined,
      joinCampaign: campaignsOf(registry),
      keepFiles: files.keep,
      folder: join(dataDir, 'ports'),
    }),
  )
  await porting.recover()
  return porting
}

function campaignsOf({ numbers }: PortingParts['registry']): PortingDeps['joinCampaign'] {
  return async (accountSid, campaignId, e164) => {
    try {
      await numbers.provision(accountSid, campaignId, e164)
      return undefined
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error
      return error.problems.map(({ description }) => description).join('; ')
    }
  }
}
