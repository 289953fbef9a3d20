import type { Reader, RowText, Subquery } from '../platform/database/database.js'

/** Numbers that open ports bring in from other carriers; implemented by porting. */
export interface PortedNumbers {
  /** Account whose open port includes the number. */
  accountOf(read: Reader, e164: string): Promise<string | undefined>
  /** Subquery: rows of open ports with that number, for `exists`. */
  rowsOf(read: Reader, e164: RowText): Subquery
  /** Filters the list to numbers in open ports. */
  among(read: Reader, e164s: readonly string[]): Promise<readonly string[]>
  /** True while an open port of the account routes a number to the gateway. */
  namesGateway(read: Reader, accountSid: string, gatewayId: number): Promise<boolean>
  /** The numbers of open ports after `after`, in their order. */
  list(
    read: Reader,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly string[]>
}

/** True while a port of another account includes the number: only that account may get it. */
export async function isPortedByAnother(
  read: Reader,
  ported: Pick<PortedNumbers, 'accountOf'>,
  { accountSid, e164 }: { readonly accountSid: string; readonly e164: string },
): Promise<boolean> {
  const porting = await ported.accountOf(read, e164)
  return porting !== undefined && porting !== accountSid
}
