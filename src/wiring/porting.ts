/** Wires porting: the losing carrier, the settings after a completed port, and the mails. */

import { join } from 'node:path'
import { billedAccount } from '../accounts/billed-account.js'
import { routeNameOf } from '../numbers/gateways.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import { openTurnedClock } from '../platform/turned-clock/turned-clock.js'
import { createHttpCarrier } from '../porting/http-carrier.js'
import type { LosingCarrier } from '../porting/losing-carrier.js'
import { createOperatorCarrier } from '../porting/losing-carrier.js'
import { createPortLinks } from '../porting/port-links.js'
import { portMailChannel } from '../porting/port-mails.js'
import { createPorting, type Porting } from '../porting/porting.js'
import { createSimulatedCarrier } from '../porting/simulated-carrier.js'
import { paidRatesOf } from '../rating/account-rates.js'
import type { Registry } from '../registry/registry.js'
import type { Base } from './base.js'
import { problemOf } from './campaigns.js'
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

/** Millionths of a dollar per unit of the ledger. */
const MICROS_PER_UNIT = 100

/** Creates porting. Must run before the outbox starts, since it opens a channel. */
export async function wirePorting(base: Base, parts: PortingParts): Promise<Porting> {
  const { accounts, clock, config, dataDir, db, disposer, gateways, log, vault } = base
  const { billing, files, outbox, publicUrl } = parts
  const { numbers } = parts.registry
  const links = createPortLinks(vault, publicUrl)
  const mails = outbox.open(portMailChannel({ accounts, mailer: wireMail(base), links }))
  const isSimulated = config.portCarrier === 'simulated'
  // With the lab nothing is real, so operators may advance the porting clock.
  const isTurnable = isSimulated && config.servers.type === 'lab'
  const porting = disposer.use(
    createPorting({
      db,
      clock,
      turned: isTurnable ? await openTurnedClock(db, 'ports', clock) : undefined,
      log,
      vault,
      carrier: carrierOf(base),
      mails,
      links,
      ledger: billing.ledger,
      recurring: billing.recurring,
      monthlyRate: async (read, sid) =>
        Math.ceil(
          ((await paidRatesOf(read, sid, await billedAccount(read, sid))).did ?? 0) /
            MICROS_PER_UNIT,
        ),
      hasRoute: async (read, accountSid, route) =>
        (await routeNameOf(read, gateways, { accountSid, route })) !== undefined,
      campaignProblem: async (...asked) =>
        (await problemOf(() => numbers.refuseDead(...asked)))?.reason,
      joinCampaign: async (...asked) =>
        (await problemOf(() => numbers.provision(...asked)))?.reason,
      keepFiles: files.keep,
      folder: join(dataDir, 'ports'),
    }),
  )
  await porting.recover()
  return porting
}

function carrierOf({ config: { portCarrier }, outbound }: Base): LosingCarrier {
  if (portCarrier === 'simulated') return createSimulatedCarrier()
  if (portCarrier === 'operator') return createOperatorCarrier()
  return createHttpCarrier(outbound, portCarrier)
}
