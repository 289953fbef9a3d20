import type { Reader, RowText, Subquery } from '../platform/database/database.js'

/** The numbers that open ports bring in from other carriers. Porting knows them. */
export interface PortedNumbers {
  /** The account whose open port has the number. */
  accountOf(read: Reader, e164: string): Promise<string | undefined>
  /** The rows of open ports with that number, for an `exists` of the query that has the number. */
  rowsOf(read: Reader, e164: RowText): Subquery
  /** The numbers of the list that open ports have. */
  among(read: Reader, e164s: readonly string[]): Promise<readonly string[]>
  /** True while an open port of the account names the gateway as the route of a number. */
  namesGateway(read: Reader, accountSid: string, gatewayId: number): Promise<boolean>
  /** The numbers of open ports after `after`, in their order. */
  list(
    read: Reader,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly string[]>
}

/** True while a port of another account has the number: that account alone may get it. */
export async function isPortedByAnother(
  read: Reader,
  ported: Pick<PortedNumbers, 'accountOf'>,
  { accountSid, e164 }: { readonly accountSid: string; readonly e164: string },
): Promise<boolean> {
  const porting = await ported.accountOf(read, e164)
  return porting !== undefined && porting !== accountSid
}
