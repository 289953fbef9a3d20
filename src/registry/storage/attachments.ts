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

const COLUMNS = ['uuid', 'fileName', 'mimeType'] as const

export async function insertAttachment(
  tx: Writer,
  { cspId, ownerId, kind }: AttachmentOwner,
  file: Attachment & { readonly bytes: number; readonly createdAt: number },
): Promise<void> {
  await tx
    .insertInto('registry_attachments')
    .values({
      uuid: file.uuid,
      cspId,
      ownerId,
      kind,
      fileName: file.fileName,
      mimeType: file.mimeType,
      bytes: file.bytes,
      createdAt: file.createdAt,
      upstreamUuid: null,
      upstreamRefusedBy: null,
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
    .where('ownerId', '=', ownerId)
    .where('kind', '=', kind)
    .orderBy('createdAt')
    .orderBy('uuid')
    .execute()
}

/** A file of a campaign; it is sent to the upstream registry with the campaign. */
export interface CampaignAttachment extends Attachment {
  readonly campaignId: string
  readonly kind: 'mms' | 'document'
  /** The file's identifier at the upstream registry; undefined until it is known. */
  readonly upstreamUuid: string | undefined
  /** The upstream campaign for which the file was refused. */
  readonly refusedBy: string | undefined
}

function campaignAttachments(db: Reader) {
  return db
    .selectFrom('registry_attachments')
    .select([...COLUMNS, 'kind', 'ownerId', 'upstreamUuid', 'upstreamRefusedBy'])
    .where('kind', 'in', ['mms', 'document'])
}

type CampaignAttachmentRow = Attachment & {
  readonly kind: string
  readonly ownerId: string
  readonly upstreamUuid: string | null
  readonly upstreamRefusedBy: string | null
}

function toCampaignAttachment(row: CampaignAttachmentRow): CampaignAttachment {
  const { uuid, fileName, mimeType } = row
  const kind = row.kind === 'mms' ? 'mms' : 'document'
  const upstreamUuid = row.upstreamUuid ?? undefined
  const refusedBy = row.upstreamRefusedBy ?? undefined
  return { uuid, fileName, mimeType, kind, campaignId: row.ownerId, upstreamUuid, refusedBy }
}

/** Lists a campaign's files of all kinds, oldest first. */
export async function listCampaignAttachments(
  db: Reader,
  campaignId: string,
): Promise<CampaignAttachment[]> {
  const rows = await campaignAttachments(db)
    .where('ownerId', '=', campaignId)
    .orderBy('createdAt')
    .orderBy('uuid')
    .execute()
  return rows.map(toCampaignAttachment)
}

/** Resolves with undefined when the file does not belong to the campaign. */
export async function findCampaignAttachment(
  db: Reader,
  uuid: string,
): Promise<CampaignAttachment | undefined> {
  const row = await campaignAttachments(db).where('uuid', '=', uuid).executeTakeFirst()
  return row === undefined ? undefined : toCampaignAttachment(row)
}

/** Stores a file's upstream identifier; resolves with false when the file is deleted here. */
export async function noteUpstreamUuid(
  tx: Writer,
  uuid: string,
  upstreamUuid: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('registry_attachments')
    .set({ upstreamUuid })
    .where('uuid', '=', uuid)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Records that the file was refused for this upstream campaign. */
export async function noteUpstreamRefusal(
  tx: Writer,
  uuid: string,
  refusedBy: string,
): Promise<void> {
  await tx
    .updateTable('registry_attachments')
    .set({ upstreamRefusedBy: refusedBy })
    .where('uuid', '=', uuid)
    .execute()
}

export function findAttachment(
  db: Reader,
  cspId: string,
  uuid: string,
): Promise<Attachment | undefined> {
  return db
    .selectFrom('registry_attachments')
    .select(COLUMNS)
    .where('uuid', '=', uuid)
    .where('cspId', '=', cspId)
    .executeTakeFirst()
}

/** The brand for which the file is evidence; undefined for a file of another kind. */
export async function brandOfEvidence(db: Reader, uuid: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('registry_attachments')
    .select('ownerId')
    .where('uuid', '=', uuid)
    .where('kind', '=', 'evidence')
    .executeTakeFirst()
  return row?.ownerId
}

/** Returns the ids in the list that belong to existing files. */
export async function existingAttachments(db: Reader, uuids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('registry_attachments')
    .select('uuid')
    .where('uuid', 'in', uuids)
    .execute()
  return rows.map(({ uuid }) => uuid)
}

/** Counts the ids in the list that are files of this owner; duplicates count once. */
export async function countAttachmentsOf(
  db: Reader,
  ownerId: string,
  uuids: readonly string[],
): Promise<number> {
  const row = await db
    .selectFrom('registry_attachments')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('ownerId', '=', ownerId)
    .where('uuid', 'in', uuids)
    .executeTakeFirstOrThrow()
  return row.count
}

export async function deleteAttachment(tx: Writer, uuid: string): Promise<void> {
  await tx.deleteFrom('registry_attachments').where('uuid', '=', uuid).execute()
}
