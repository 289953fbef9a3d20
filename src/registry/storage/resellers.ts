import type { Reader, Writer } from '../../platform/database/database.js'
import { type OffsetPage, readPage } from '../../platform/database/offset-page.js'
import { hasPart } from '../../platform/database/text-search.js'

export interface Reseller {
  readonly resellerId: string
  readonly cspId: string
  readonly companyName: string
  readonly phone: string
  readonly email: string
}

export async function findReseller(db: Reader, resellerId: string): Promise<Reseller | undefined> {
  const row = await db
    .selectFrom('registry_resellers')
    .select('record')
    .where('resellerId', '=', resellerId)
    .executeTakeFirst()
  return row === undefined ? undefined : parse(row)
}

/** True when the CSP already has this company as a reseller; case is ignored. */
export async function isCompanyTaken(
  db: Reader,
  cspId: string,
  companyName: string,
  exceptId?: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('registry_resellers')
    .select('resellerId')
    .where('cspId', '=', cspId)
    .where('companyKey', '=', companyName.toLowerCase())
    .executeTakeFirst()
  return row !== undefined && row.resellerId !== exceptId
}

export async function insertReseller(tx: Writer, reseller: Reseller, now: number): Promise<void> {
  await tx
    .insertInto('registry_resellers')
    .values({
      resellerId: reseller.resellerId,
      cspId: reseller.cspId,
      companyKey: reseller.companyName.toLowerCase(),
      record: JSON.stringify(reseller),
      createdAt: now,
    })
    .execute()
}

export async function saveReseller(tx: Writer, reseller: Reseller): Promise<void> {
  await tx
    .updateTable('registry_resellers')
    .set({
      companyKey: reseller.companyName.toLowerCase(),
      record: JSON.stringify(reseller),
    })
    .where('resellerId', '=', reseller.resellerId)
    .execute()
}

export async function deleteReseller(tx: Writer, resellerId: string): Promise<void> {
  await tx.deleteFrom('registry_resellers').where('resellerId', '=', resellerId).execute()
}

export async function listResellers(
  db: Reader,
  cspId: string,
  companyName: string | undefined,
  page: OffsetPage,
): Promise<{ items: Reseller[]; total: number }> {
  let query = db.selectFrom('registry_resellers').where('cspId', '=', cspId)
  if (companyName !== undefined)
    query = query.where((each) => hasPart(db, each.ref('companyKey'), companyName.toLowerCase()))
  const { rows, total } = await readPage(query.select('record').orderBy('id'), page)
  return { items: rows.map(parse), total }
}

function parse(row: { readonly record: string }): Reseller {
  return JSON.parse(row.record) as Reseller // written by the functions above only
}
