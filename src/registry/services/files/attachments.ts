import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Reader, Writer } from '../../../platform/database/database.js'
import { removeOrphans } from '../../../platform/files/remove-orphans.js'
import { schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import { refuse, throwIfAny } from '../../model/registry-error.js'
import type { CampaignFile } from '../../providers/upstream-partner.js'
import type { FileSample } from '../../rules/file-sample.js'
import { checkFile } from '../../rules/file-type.js'
import {
  type Attachment,
  type AttachmentOwner,
  deleteAttachment,
  existingAttachments,
  findAttachment,
  insertAttachment,
  listAttachments,
  listCampaignAttachments,
} from '../../storage/attachments.js'
import { findCampaign } from '../../storage/campaigns.js'

/** A complete file at a temporary path; disposing deletes it unless it was moved. */
export interface Upload extends AsyncDisposable {
  readonly fileName: string
  readonly path: string
  readonly sample: FileSample
  readonly sha256: string
}

export interface Attachments {
  add(owner: AttachmentOwner, file: Upload): Promise<Attachment>
  list(owner: AttachmentOwner): Promise<Attachment[]>
  /** Resolves with a file; RegistryError 502 when there is none that this CSP may see. */
  read(cspId: string, uuid: string): Promise<Attachment & { readonly bytes: Buffer }>
  remove(cspId: string, uuid: string): Promise<void>
  /** A campaign's own files, for the partner or registry upstream. */
  ofCampaign(campaignId: string): Promise<CampaignFile[]>
  /** Removes the files that a killed process left without a row; called before any request. */
  recover(): Promise<void>
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Makes the service of attachments. `folder` holds the files under generated names; the customers'
 * names are only in the database.
 */
export function createAttachments(core: Core, folder: string): Attachments {
  const { db, tables } = core
  return {
    add: async (owner, { fileName, path, sample }) => {
      const { mimeType, problems } = checkFile(owner.kind, fileName, sample)
      throwIfAny(problems)
      const attachment = { uuid: randomUUID(), fileName, mimeType }
      const file = join(folder, attachment.uuid)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // The file is complete and on the disk: a partial file never has its final name.
      await rename(path, file)
      try {
        await core.commit(async (tx) => {
          const max = tables.limits.maxAttachmentsPerCampaign
          if ((await listAttachments(tx, owner)).length >= max)
            throw refuse(544, ['file'], `at most ${max} files`)
          const stored = { ...attachment, bytes: sample.size, createdAt: core.clock.now() }
          await insertAttachment(tx, owner, stored)
          await sendOn(core, tx, owner.ownerId)
        })
      } catch (error) {
        await rm(file, { force: true })
        throw error
      }
      return attachment
    },
    list: (owner) => listAttachments(db.read, owner),
    read: async (cspId, uuid) => {
      const found = await find(db.read, cspId, uuid)
      return { ...found, bytes: await readFile(join(folder, found.uuid)) }
    },
    remove: async (cspId, uuid) => {
      const found = await find(db.read, cspId, uuid)
      await db.write((tx) => deleteAttachment(tx, found.uuid))
      // The file goes after the commit: a row without its file is worse than a file without its
      // row.
      await rm(join(folder, found.uuid), { force: true })
    },
    ofCampaign: (campaignId) => filesOf(db.read, folder, campaignId),
    recover: () =>
      removeOrphans(
        {
          folder,
          ownerOf: (name) => (UUID.test(name) ? name : undefined),
          existing: (uuids) => existingAttachments(db.read, uuids),
        },
        core.log,
      ),
  }
}

/** Sends the new file of a campaign to the upstream registry that has the campaign. */
async function sendOn(core: Core, tx: Writer, ownerId: string): Promise<void> {
  const campaign = await findCampaign(tx, ownerId)
  if (campaign?.upstreamCampaignId !== undefined)
    await schedule(tx, 'update-upstream', ownerId, core.clock.now())
}

async function filesOf(db: Reader, folder: string, campaignId: string): Promise<CampaignFile[]> {
  const files = await listCampaignAttachments(db, campaignId)
  return files.map(({ uuid, fileName, mimeType, kind }) => ({
    kind,
    fileName,
    mimeType,
    read: () => readFile(join(folder, uuid)),
  }))
}

async function find(db: Reader, cspId: string, uuid: string): Promise<Attachment> {
  const found = await findAttachment(db, cspId, uuid)
  if (found === undefined) throw refuse(502, ['attachmentId'], `there is no attachment ${uuid}`)
  return found
}
