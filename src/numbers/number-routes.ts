import type { Reader } from '../platform/database/database.js'
import type { Gateways } from './gateways.js'
import { systemRouteName } from './system-routes.js'

/** The addresses behind the routes that are not the system's. */
export type GatewayAddresses = Pick<Gateways, 'addressOf'>

/** The name of a system route, or the address of the account's gateway; undefined for no route. */
export async function routeNameOf(
  read: Reader,
  gateways: GatewayAddresses,
  { accountSid, route }: { readonly accountSid: string; readonly route: number },
): Promise<string | undefined> {
  return systemRouteName(route) ?? (await gateways.addressOf(read, accountSid, route))
}
