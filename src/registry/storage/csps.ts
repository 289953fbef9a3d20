import type { Reader, Writer } from '../../platform/database/database.js'

/** An account as the registry sees it. */
export interface Csp {
  readonly cspId: string
  readonly accountSid: string
  /** The account's current name. */
  readonly name: string
  readonly status: 'ACTIVE' | 'SUSPENDED'
  readonly escalateEmail?: string | undefined
  readonly email?: string | undefined
  readonly techEmail?: string | undefined
  readonly financeEmail?: string | undefined
  readonly platformFreeTrialEnabled: boolean
  readonly soleProprietorEnabled: boolean
  readonly ucaasEnabled: boolean
  readonly publicSafetyEnabled: boolean
  readonly dpaSigned: boolean
  /** True when the CSP may use images for rich messages (RCS). */
  readonly rcsEnabled?: boolean | undefined
  readonly migrationSupported: boolean
  readonly migrationAutoComplete: boolean
  /** The brand that registry support set up for free-trial campaigns. */
  readonly freeTrialBrandId?: string | undefined
}

export async function findCspOfAccount(db: Reader, accountSid: string): Promise<Csp | undefined> {
  const row = await csps(db).where('accountSid', '=', accountSid).executeTakeFirst()
  return row && toCsp(row)
}

export async function findCsp(db: Reader, cspId: string): Promise<Csp | undefined> {
  const row = await csps(db).where('cspId', '=', cspId).executeTakeFirst()
  return row && toCsp(row)
}

export async function listCsps(db: Reader): Promise<Csp[]> {
  return (await csps(db).orderBy('cspId').execute()).map(toCsp)
}

export async function insertCsp(tx: Writer, csp: Csp, now: number): Promise<void> {
  await tx
    .insertInto('registry_csps')
    .values({
      cspId: csp.cspId,
      accountSid: csp.accountSid,
      record: JSON.stringify(csp),
      createdAt: now,
    })
    .execute()
}

export async function saveCsp(tx: Writer, csp: Csp): Promise<void> {
  await tx
    .updateTable('registry_csps')
    .set({ record: JSON.stringify(csp) })
    .where('cspId', '=', csp.cspId)
    .execute()
}

function csps(db: Reader) {
  return db
    .selectFrom('registry_csps')
    .innerJoin('accounts', 'accounts.sid', 'registry_csps.accountSid')
    .select(['record', 'friendlyName'])
}

function toCsp(row: { readonly record: string; readonly friendlyName: string }): Csp {
  // Written by the two functions above only.
  return { ...(JSON.parse(row.record) as Csp), name: row.friendlyName }
}
