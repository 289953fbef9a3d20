/** The route of a call to a number that an account of this server holds: no carrier is asked. */
import type { NumberBindings } from '../applications/number-bindings.js'
import type { CallRecord } from '../model/call-record.js'
import type { CommonRequest, DialRoute } from './dial-route.js'
import { telephoneUri, tellingForwarders } from './forwarded-request.js'

export interface InsideRouteDeps {
  readonly numbers: Pick<NumberBindings, 'called'>
}

/** Undefined for a number that nobody holds here, and for a call for help. */
export async function insideRoute(
  call: CallRecord,
  common: CommonRequest,
  { numbers }: InsideRouteDeps,
): Promise<DialRoute | undefined> {
  const { to, plan } = call
  if (plan.emergency !== undefined || (await numbers.called(to)) === undefined) return undefined
  const told = tellingForwarders(common, call, telephoneUri)
  const inside = { hops: (plan.insideHops ?? 0) + 1 }
  return {
    requests: [{ ...told, uri: `sip:${to}@localhost`, inside }],
    // Nobody else has the number.
    leadsOn: () => false,
  }
}
