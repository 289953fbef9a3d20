import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Reader, Writer } from '../../../platform/database/database.js'
import type { KeepFiles, KeptFiles } from '../../../platform/files/kept-files.js'
import { readIfKept, readKept, uploadKind } from '../../../platform/files/kept-files.js'
import type { Upload } from '../../../platform/uploads/read-upload.js'
import type { Core } from '../../model/core.js'
import { refuse, throwIfAny } from '../../model/registry-error.js'
import type { CampaignFile, RemovedFile } from '../../providers/upstream-partner.js'
import { checkFile } from '../../rules/file-type.js'
import {
  type Attachment,
  type AttachmentOwner,
  brandOfEvidence,
  deleteAttachment,
  existingAttachments,
  findAttachment,
  findCampaignAttachment,
  insertAttachment,
  listAttachments,
  listCampaignAttachments,
} from '../../storage/attachments.js'
import { findCampaign } from '../../storage/campaigns.js'
import { listAppeals } from '../../storage/vettings.js'
import { carryUp } from '../upstream/carry-up.js'

export interface Attachments {
  add(owner: AttachmentOwner, file: Upload): Promise<Attachment>
  list(owner: AttachmentOwner): Promise<Attachment[]>
  /** Resolves with a file; RegistryError 502 when it is missing or this CSP may not see it. */
  read(cspId: string, uuid: string): Promise<Attachment & { readonly bytes: Buffer }>
  /** Deletes a file; RegistryError 592 while a pending appeal uses it as evidence. */
  remove(cspId: string, uuid: string): Promise<void>
  /** A campaign's own files, for the upstream partner or registry. */
  ofCampaign(campaignId: string): Promise<CampaignFile[]>
  /** Removes files without a row, left by a crash; called before any request. */
  recover(): Promise<void>
}

/**
 * Creates the service of attachments. Files are stored under generated names; customers' names are
 * only in the database.
 */
export function createAttachments(core: Core, folder: string, keepFiles: KeepFiles): Attachments {
  const { db, tables } = core
  const files = keepFiles(
    uploadKind('registry-attachments', folder, (uuids) => existingAttachments(db.read, uuids)),
  )
  return {
    add: async (owner, { fileName, path, sample }) => {
      const { mimeType, problems } = checkFile(owner.kind, fileName, sample)
      throwIfAny(problems)
      const attachment = { uuid: randomUUID(), fileName, mimeType }
      const file = files.pathOf(attachment.uuid)
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      // The file is complete and synced to disk: a partial file never gets its final name.
      await rename(path, file)
      try {
        await core.commit(async (tx) => {
          const max = tables.limits.maxAttachmentsPerCampaign
          if ((await listAttachments(tx, owner)).length >= max)
            throw refuse(544, ['file'], `at most ${max} files`)
          const stored = { ...attachment, bytes: sample.size, createdAt: core.clock.now() }
          await insertAttachment(tx, owner, stored)
          await files.enqueue(tx, attachment.uuid)
          const campaign = await findCampaign(tx, owner.ownerId)
          if (campaign !== undefined) await carryUp(core, tx, 'update-upstream', campaign)
        })
      } catch (error) {
        await rm(file, { force: true })
        throw error
      }
      files.wake()
      return attachment
    },
    list: (owner) => listAttachments(db.read, owner),
    read: async (cspId, uuid) => {
      const found = await find(db.read, cspId, uuid)
      return { ...found, bytes: await readKept(files, found.uuid) }
    },
    remove: async (cspId, uuid) => {
      const found = await find(db.read, cspId, uuid)
      await core.commit(async (tx) => {
        await refuseNeededEvidence(tx, found.uuid)
        await removeUpstream(core, tx, found.uuid)
        await deleteAttachment(tx, found.uuid)
        await files.enqueueRemoval(tx, found.uuid)
      })
      files.wake()
      // Delete the file after the commit: a row without its file is worse than a file without its
      // row.
      await files.forget([found.uuid])
    },
    ofCampaign: (campaignId) => filesOf(db.read, files, campaignId),
    recover: () => files.recover(),
  }
}

/** RegistryError 592 for evidence of a pending appeal. */
async function refuseNeededEvidence(tx: Reader, uuid: string): Promise<void> {
  const brandId = await brandOfEvidence(tx, uuid)
  const appeals = brandId === undefined ? [] : await listAppeals(tx, brandId)
  const isNeeded = appeals.some(
    ({ status, attachmentUuids }) => status === 'PENDING' && attachmentUuids.includes(uuid),
  )
  if (isNeeded) throw refuse(592, ['attachmentId'], 'a pending appeal has it as evidence')
}

/**
 * Schedules the removal of a campaign's file from the upstream registry, if the campaign is shared
 * there.
 */
async function removeUpstream(core: Core, tx: Writer, uuid: string): Promise<void> {
  const file = await findCampaignAttachment(tx, uuid)
  const campaign = file && (await findCampaign(tx, file.campaignId))
  if (file === undefined || campaign === undefined) return
  const { kind, fileName, upstreamUuid } = file
  const removed: RemovedFile = { kind, fileName, upstreamUuid }
  await carryUp(core, tx, 'remove-file-upstream', campaign, removed)
}

async function filesOf(db: Reader, files: KeptFiles, campaignId: string): Promise<CampaignFile[]> {
  const attachments = await listCampaignAttachments(db, campaignId)
  return attachments.map((file) => ({ ...file, read: () => readIfKept(files, file.uuid) }))
}

async function find(db: Reader, cspId: string, uuid: string): Promise<Attachment> {
  const found = await findAttachment(db, cspId, uuid)
  if (found === undefined) throw refuse(502, ['attachmentId'], `there is no attachment ${uuid}`)
  return found
}
