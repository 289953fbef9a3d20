import type { AccountGate } from '../accounts/account-gate.js'
import type { AddressLimit } from '../platform/api/api.js'
import type { Clock } from '../platform/clock.js'
import { TokenBuckets } from '../platform/token-buckets.js'

const HOUR_SECONDS = 3_600

/**
 * Limits the requests of an address to each operation that names a limit. As many as an hour's may
 * come at once. 0: no limit.
 */
export function createAddressLimit(
  perHour: number,
  accountGate: AccountGate,
  clock: Clock,
): AddressLimit | undefined {
  if (perHour === 0) return undefined
  const buckets = new TokenBuckets({ perSecond: perHour / HOUR_SECONDS, burst: perHour })
  return {
    waitSeconds: (name, request) => {
      const source = `${name} ${accountGate.addressOf(request)}`
      const now = clock.monotonic()
      return buckets.take(source, now) ? 0 : buckets.secondsUntilToken(source, now)
    },
  }
}
