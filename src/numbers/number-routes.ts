import type { Reader } from '../platform/database/database.js'
import { systemRouteName } from './system-routes.js'

/** The gateways of accounts: the routes that are not the system's. */
export interface Gateways {
  /** The address of a gateway of the account; undefined when it has none of that id. */
  addressOf(read: Reader, accountSid: string, id: number): Promise<string | undefined>
}

/** The name of a system route, or the address of the account's gateway; undefined for no route. */
export async function routeNameOf(
  read: Reader,
  gateways: Gateways,
  { accountSid, route }: { readonly accountSid: string; readonly route: number },
): Promise<string | undefined> {
  return systemRouteName(route) ?? (await gateways.addressOf(read, accountSid, route))
}
