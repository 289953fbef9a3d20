import type { Reader, Writer } from '../../platform/database/database.js'

/** An account as the registry sees it. */
export interface Csp {
  readonly cspId: string
  readonly accountSid: string
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
  /** True when the CSP may have images for rich messages. */
  readonly rcsEnabled?: boolean | undefined
  readonly migrationSupported: boolean
  readonly migrationAutoComplete: boolean
  /** The brand that registry support set up for free-trial campaigns. */
  readonly freeTrialBrandId?: string | undefined
}

export async function findCspOfAccount(db: Reader, accountSid: string): Promise<Csp | undefined> {
  const row = await db
    .selectFrom('registry_csps')
    .select('record')
    .where('account_sid', '=', accountSid)
    .executeTakeFirst()
  return row === undefined ? undefined : parse(row.record)
}

export async function findCsp(db: Reader, cspId: string): Promise<Csp | undefined> {
  const row = await db
    .selectFrom('registry_csps')
    .select('record')
    .where('csp_id', '=', cspId)
    .executeTakeFirst()
  return row === undefined ? undefined : parse(row.record)
}

export async function listCsps(db: Reader): Promise<Csp[]> {
  const rows = await db.selectFrom('registry_csps').select('record').orderBy('csp_id').execute()
  return rows.map((row) => parse(row.record))
}

export async function insertCsp(tx: Writer, csp: Csp, now: number): Promise<void> {
  await tx
    .insertInto('registry_csps')
    .values({
      csp_id: csp.cspId,
      account_sid: csp.accountSid,
      record: JSON.stringify(csp),
      created_at: now,
    })
    .execute()
}

export async function saveCsp(tx: Writer, csp: Csp): Promise<void> {
  await tx
    .updateTable('registry_csps')
    .set({ record: JSON.stringify(csp) })
    .where('csp_id', '=', csp.cspId)
    .execute()
}

function parse(record: string): Csp {
  return JSON.parse(record) as Csp // written by the two functions above only
}
