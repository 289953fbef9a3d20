import { isFreeOrTheirs } from '../../numbers/held-numbers.js'
import type { Database } from '../../platform/database/database.js'
import type { MaySend } from '../../registry/registry.js'

/**
 * Judges as `maySend` does, without the campaigns of former holders: the registry knows the last
 * campaign of a number, which must not send for it, nor use its texts, when the next account has it.
 */
export function sendersOwnCampaigns({ read }: Database, maySend: MaySend): MaySend {
  return async (e164) => {
    const permission = await maySend(e164)
    if (!('accountSid' in permission)) return permission
    return (await isFreeOrTheirs(read, permission.accountSid, e164))
      ? permission
      : { isAllowed: false, reason: 'no-campaign' }
  }
}
