import type { Reader, Writer } from '../../platform/database/database.js'
import { type OffsetPage, readPage } from '../../platform/database/offset-page.js'
import { tagKey } from '../rules/tag.js'

export type TagRecordType = 'BRAND' | 'CAMPAIGN'

export interface Tag {
  readonly name: string
  readonly recordType: TagRecordType
  readonly recordId: string
}

export async function tagsOf(
  db: Reader,
  recordType: TagRecordType,
  recordIds: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  if (recordIds.length === 0) return found
  const rows = await db
    .selectFrom('registry_tags')
    .select(['recordId', 'name'])
    .where('recordType', '=', recordType)
    .where('recordId', 'in', recordIds)
    .orderBy('id')
    .execute()
  for (const { recordId: id, name } of rows) {
    const names = found.get(id) ?? []
    names.push(name)
    found.set(id, names)
  }
  return found
}

/** Adds a tag; an existing one is unchanged. */
export async function insertTag(tx: Writer, cspId: string, tag: Tag): Promise<void> {
  await tx
    .insertInto('registry_tags')
    .values({
      cspId,
      recordType: tag.recordType,
      recordId: tag.recordId,
      name: tag.name,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteTag(tx: Writer, cspId: string, tag: Tag): Promise<boolean> {
  const result = await tx
    .deleteFrom('registry_tags')
    .where('cspId', '=', cspId)
    .where('recordType', '=', tag.recordType)
    .where('recordId', '=', tag.recordId)
    .where('name', '=', tag.name)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

export interface TagFilter {
  readonly name?: string | undefined
  readonly recordId?: string | undefined
  readonly recordType?: TagRecordType | undefined
}

export async function listTags(
  db: Reader,
  cspId: string,
  filter: TagFilter,
  page: OffsetPage,
): Promise<{ items: Tag[]; total: number }> {
  let query = db.selectFrom('registry_tags').where('cspId', '=', cspId)
  if (filter.name !== undefined) query = query.where('name', '=', tagKey(filter.name))
  if (filter.recordId !== undefined) query = query.where('recordId', '=', filter.recordId)
  if (filter.recordType !== undefined) query = query.where('recordType', '=', filter.recordType)
  const { rows, total } = await readPage(query.selectAll().orderBy('id'), page)
  const items = rows.map((row) => ({
    name: row.name,
    recordType: row.recordType === 'BRAND' ? ('BRAND' as const) : ('CAMPAIGN' as const),
    recordId: row.recordId,
  }))
  return { items, total }
}
