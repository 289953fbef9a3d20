import type { Reader, Writer } from '../../platform/database/database.js'
import type { AttachmentKind } from '../rules/file-type.js'

export interface Attachment {
  readonly uuid: string
  readonly fileName: string
  readonly mimeType: string
}

export interface AttachmentOwner {
  readonly cspId: string
  /** The id of the campaign or brand that owns the file. */
  readonly ownerId: string
  readonly kind: AttachmentKind
}

const COLUMNS = ['uuid', 'file_name as fileName', 'mime_type as mimeType'] as const

export async function insertAttachment(
  tx: Writer,
  { cspId, ownerId, kind }: AttachmentOwner,
  file: Attachment & { readonly bytes: number; readonly createdAt: number },
): Promise<void> {
  await tx
    .insertInto('registry_attachments')
    .values({
      uuid: file.uuid,
      csp_id: cspId,
      owner_id: ownerId,
      kind,
      file_name: file.fileName,
      mime_type: file.mimeType,
      bytes: file.bytes,
      created_at: file.createdAt,
    })
    .execute()
}

/** Lists the owner's files of one kind, oldest first. */
export function listAttachments(
  db: Reader,
  { ownerId, kind }: AttachmentOwner,
): Promise<Attachment[]> {
  return db
    .selectFrom('registry_attachments')
    .select(COLUMNS)
    .where('owner_id', '=', ownerId)
    .where('kind', '=', kind)
    .orderBy('created_at')
    .orderBy('uuid')
    .execute()
}

/** Lists the files of a campaign of every kind that a campaign has, oldest first. */
export async function listCampaignAttachments(
  db: Reader,
  campaignId: string,
): Promise<(Attachment & { readonly kind: 'mms' | 'document' })[]> {
  const rows = await db
    .selectFrom('registry_attachments')
    .select(COLUMNS)
    .select('kind')
    .where('owner_id', '=', campaignId)
    .where('kind', 'in', ['mms', 'document'])
    .orderBy('created_at')
    .orderBy('uuid')
    .execute()
  return rows.map((row) => ({ ...row, kind: row.kind === 'mms' ? 'mms' : 'document' }))
}

/** The CSP's own file. */
export function findAttachment(
  db: Reader,
  cspId: string,
  uuid: string,
): Promise<Attachment | undefined> {
  return db
    .selectFrom('registry_attachments')
    .select(COLUMNS)
    .where('uuid', '=', uuid)
    .where('csp_id', '=', cspId)
    .executeTakeFirst()
}

/** The ids in the list that files have. */
export async function existingAttachments(db: Reader, uuids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('registry_attachments')
    .select('uuid')
    .where('uuid', 'in', uuids)
    .execute()
  return rows.map(({ uuid }) => uuid)
}

/** Counts the ids in the list that are files of this owner, each once. */
export async function countAttachmentsOf(
  db: Reader,
  ownerId: string,
  uuids: readonly string[],
): Promise<number> {
  const row = await db
    .selectFrom('registry_attachments')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('owner_id', '=', ownerId)
    .where('uuid', 'in', uuids)
    .executeTakeFirstOrThrow()
  return row.count
}

export async function deleteAttachment(tx: Writer, uuid: string): Promise<void> {
  await tx.deleteFrom('registry_attachments').where('uuid', '=', uuid).execute()
}
