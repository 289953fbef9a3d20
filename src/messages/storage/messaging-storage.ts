/** What the messaging operations set on numbers that accounts hold. */

import { urlAtRest } from '../../platform/database/at-rest.js'
import type { Reader, Writer } from '../../platform/database/database.js'
import { withKnownPassword } from '../../platform/url-passwords.js'
import type { RouteIn } from '../route-in.js'

export interface NumberMessaging {
  /** False: the number sends no message and takes none. */
  readonly isEnabled: boolean
  /** The name of the carrier that takes its messages; undefined: the first one. */
  readonly routeOut: string | undefined
  /** Where the messages go that come to it; undefined: by the settings of the number. */
  readonly routeIn: RouteIn | undefined
}

/** A change: an absent field stays as it is, and null clears it. */
export interface NumberMessagingChange {
  readonly isEnabled?: boolean
  readonly routeOut?: string | null
  readonly routeIn?: RouteIn | null
}

/** The settings of a number on which nothing was set. */
export const DEFAULT_MESSAGING: NumberMessaging = {
  isEnabled: true,
  routeOut: undefined,
  routeIn: undefined,
}

export async function messagingOf(read: Reader, numberSid: string): Promise<NumberMessaging> {
  const row = await read
    .selectFrom('message_numbers')
    .select(['isEnabled', 'routeOut', 'routeIn', 'routeInResource'])
    .where('numberSid', '=', numberSid)
    .executeTakeFirst()
  if (row === undefined) return DEFAULT_MESSAGING
  const { routeIn: type, routeInResource: resource } = row
  return {
    isEnabled: row.isEnabled === 1,
    routeOut: row.routeOut ?? undefined,
    routeIn: type === null || resource === null ? undefined : { type, resource },
  }
}

/** The sids of the account's numbers whose messages are disabled. */
export async function disabledNumbersOf(
  read: Reader,
  accountSid: string,
): Promise<ReadonlySet<string>> {
  const rows = await read
    .selectFrom('phone_numbers')
    .innerJoin('message_numbers', 'numberSid', 'phone_numbers.sid')
    .select('phone_numbers.sid')
    .where('accountSid', '=', accountSid)
    .where('isEnabled', '=', 0)
    .execute()
  return new Set(rows.map(({ sid }) => sid))
}

/** The target with its password, which is masked where a client writes back what it has read. */
async function knownTarget(
  tx: Writer,
  numberSid: string,
  wanted: RouteIn | null | undefined,
): Promise<RouteIn | undefined> {
  if (wanted === null || wanted === undefined) return undefined
  const { routeIn: stored } = await messagingOf(tx, numberSid)
  return { ...wanted, resource: withKnownPassword(wanted.resource, stored?.resource) }
}

/** Throws MaskedPasswordError for a target whose masked password is not that of the stored one. */
export async function changeMessaging(
  tx: Writer,
  numberSid: string,
  { isEnabled, routeIn, routeOut }: NumberMessagingChange,
  now: number,
): Promise<void> {
  const target = await knownTarget(tx, numberSid, routeIn)
  const changed = {
    ...(isEnabled === undefined ? {} : { isEnabled: Number(isEnabled) }),
    ...(routeOut === undefined ? {} : { routeOut }),
    ...(routeIn === undefined
      ? {}
      : { routeIn: target?.type ?? null, routeInResource: urlAtRest(target?.resource) }),
    updatedAt: now,
  }
  const fresh = {
    isEnabled: Number(DEFAULT_MESSAGING.isEnabled),
    routeOut: null,
    routeIn: null,
    routeInResource: null,
  }
  await tx
    .insertInto('message_numbers')
    .values({ numberSid, ...fresh, ...changed })
    .onConflict((known) => known.column('numberSid').doUpdateSet(changed))
    .execute()
}
