import type { Reader } from '../platform/database/database.js'
import { readServices, type ServiceFlags } from './account-profile.js'

/** The services of an account; none for an account that does not exist. */
export async function servicesOf(read: Reader, accountSid: string): Promise<ServiceFlags> {
  const row = await read
    .selectFrom('accounts')
    .select('services')
    .where('sid', '=', accountSid)
    .executeTakeFirst()
  return readServices(row?.services ?? '{}')
}
