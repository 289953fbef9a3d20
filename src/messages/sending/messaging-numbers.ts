/** Reads and changes the messaging settings of an account's numbers. */
import { findHeldNumber, type HeldNumber } from '../../numbers/held-numbers.js'
import type { Clock } from '../../platform/clock.js'
import type { Database, Reader } from '../../platform/database/database.js'
import type { MaySend, SendingPermission } from '../../registry/registry.js'
import type { MessageCarrier } from '../carrier.js'
import {
  changeMessaging,
  disabledNumbersOf,
  messagingOf,
  type NumberMessaging,
  type NumberMessagingChange,
} from '../storage/messaging-storage.js'
import { authorizeSender } from './sender.js'

/** `not-held`: the account does not hold the number. */
export type SenderState = 'enabled' | 'not-enabled' | 'not-held'

export interface ShownMessaging extends NumberMessaging {
  readonly number: HeldNumber
  /** True while messaging is enabled; a local number also needs a campaign. */
  readonly hasMessaging: boolean
  /** The number's campaign, and whether it lets the number send. */
  readonly permission: SendingPermission
}

/** Reason why a change of one number was refused; undefined when it is stored. */
export type MessagingRefusal = 'not-held' | 'no-route' | undefined

export interface MessagingNumbers {
  /** Whether messaging is enabled for a number of the account, whatever campaign it has. */
  stateOf(accountSid: string, e164: string): Promise<SenderState>
  /** Resolves with the settings of a number; undefined when the account does not hold it. */
  messagingOf(accountSid: string, e164: string): Promise<ShownMessaging | undefined>
  /** Sids of the account's numbers with messaging disabled. */
  disabledOf(accountSid: string): Promise<ReadonlySet<string>>
  /** Changes the settings of a number, from the next message on. */
  changeMessaging(
    accountSid: string,
    e164: string,
    change: NumberMessagingChange,
  ): Promise<MessagingRefusal>
  /** Names of the carriers that a number may be routed to; the first one is the default. */
  readonly routesOut: readonly string[]
}

export interface MessagingNumberDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly carrier: MessageCarrier
  readonly otherCarriers?: readonly MessageCarrier[]
  readonly maySend: MaySend
}

export function createMessagingNumbers(deps: MessagingNumberDeps): MessagingNumbers {
  const { db, clock, maySend, carrier, otherCarriers = [] } = deps
  const routesOut = [carrier, ...otherCarriers].map(({ name }) => name)
  const hasMessaging = async (accountSid: string, e164: string) =>
    (await authorizeSender(db.read, maySend, { accountSid, from: e164 })).type !== 'not-capable'
  return {
    routesOut,
    stateOf: async (accountSid, e164) => {
      if ((await heldBy(db.read, accountSid, e164)) === undefined) return 'not-held'
      return (await hasMessaging(accountSid, e164)) ? 'enabled' : 'not-enabled'
    },
    messagingOf: async (accountSid, e164) => {
      const number = await heldBy(db.read, accountSid, e164)
      if (number === undefined) return undefined
      const settings = await messagingOf(db.read, number.sid)
      return {
        number,
        ...settings,
        hasMessaging: await hasMessaging(accountSid, e164),
        permission: await maySend(e164),
      }
    },
    disabledOf: (accountSid) => disabledNumbersOf(db.read, accountSid),
    changeMessaging: async (accountSid, e164, change) => {
      if (typeof change.routeOut === 'string' && !routesOut.includes(change.routeOut))
        return 'no-route'
      const now = clock.now()
      return await db.write(async (tx) => {
        const number = await heldBy(tx, accountSid, e164)
        if (number === undefined) return 'not-held'
        await changeMessaging(tx, number.sid, change, now)
        return undefined
      })
    },
  }
}

async function heldBy(
  read: Reader,
  accountSid: string,
  e164: string,
): Promise<HeldNumber | undefined> {
  const number = await findHeldNumber(read, e164)
  return number?.accountSid === accountSid ? number : undefined
}
