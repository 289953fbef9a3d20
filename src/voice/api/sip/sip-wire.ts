/** Shared wire helpers of the SIP resources. Pure. */
import { API_VERSION, rfc2822 } from '../../model/callback-params.js'
import { said } from '../dialect/operation.js'

export const SIP = '/Accounts/{AccountSid}/SIP'

/** The path of a SIP resource in responses, without a suffix. */
export function sipPath(accountSid: string, rest: string): string {
  return `/${API_VERSION}/Accounts/${accountSid}/SIP/${rest}`
}

export const dateFields = {
  date_created: said('When it was made, as in RFC 2822.'),
  date_updated: said('When it changed last, as in RFC 2822.'),
  uri: said('Its path.'),
}

export function datesOf({
  createdAt,
  updatedAt = createdAt,
}: {
  readonly createdAt: number
  readonly updatedAt?: number
}) {
  return {
    date_created: rfc2822(new Date(createdAt)),
    date_updated: rfc2822(new Date(updatedAt)),
  }
}
