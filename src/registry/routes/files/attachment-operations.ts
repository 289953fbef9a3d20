import { z } from '@hono/zod-openapi'
import type { AttachmentKind } from '../../rules/file-type.js'
import type { Campaigns } from '../../services/campaigns/campaigns.js'
import type { Attachments } from '../../services/files/attachments.js'
import { described } from '../dialect/field-descriptions.js'
import { operation, type RegistryOperation } from '../dialect/operation.js'

const attachmentResource = z
  .object(described({ uuid: z.string(), fileName: z.string(), mimeType: z.string() }))
  .openapi('Attachment')

const DOCUMENTS_ROW = 'List / add supporting documents'
const FILE_ROW = 'Download / delete attachment'

interface Folder {
  readonly kind: AttachmentKind
  readonly name: string
  /** The kind of the files, as the documentation names it. */
  readonly what: string
  readonly listRow: string
  readonly addRow: string
}

const FOLDERS: readonly Folder[] = [
  {
    kind: 'mms',
    name: 'mms',
    what: 'sample files',
    listRow: 'List campaign MMS sample files',
    addRow: 'Add MMS sample file',
  },
  {
    kind: 'document',
    name: 'supportingDocument',
    what: 'supporting documents',
    listRow: DOCUMENTS_ROW,
    addRow: DOCUMENTS_ROW,
  },
]

/** The operations on the files of a campaign. */
export function attachmentOperations(
  attachments: Attachments,
  campaigns: Campaigns,
): RegistryOperation[] {
  return [
    ...FOLDERS.flatMap((folder) => folderOperations(folder, attachments, campaigns)),
    ...fileOperations(attachments),
  ]
}

function folderOperations(
  { kind, name, what, listRow, addRow }: Folder,
  attachments: Attachments,
  campaigns: Campaigns,
): RegistryOperation[] {
  const owner = async (cspId: string, campaignId: string) => {
    await campaigns.find(cspId, campaignId)
    return { cspId, ownerId: campaignId, kind }
  }
  return [
    operation({
      id: `list_${name}`,
      summary: `List the ${what} of a campaign`,
      method: 'get',
      path: `/campaign/{campaignId}/${name}`,
      row: listRow,
      response: z.array(attachmentResource),
      run: async ({ caller: csp, params }) =>
        attachments.list(await owner(csp.cspId, params.campaignId)),
    }),
    operation({
      id: `add_${name}`,
      summary: `Add a file to the ${what} of a campaign`,
      method: 'post',
      path: `/campaign/{campaignId}/${name}`,
      row: addRow,
      body: 'multipart',
      response: attachmentResource,
      beforeBody: ({ caller: csp, params }) => owner(csp.cspId, params.campaignId),
      run: async ({ caller: csp, params, body }) =>
        attachments.add(await owner(csp.cspId, params.campaignId), body),
    }),
  ]
}

function fileOperations(attachments: Attachments): RegistryOperation[] {
  const path = '/attachment/{attachmentId}'
  return [
    operation({
      id: 'downloadAttachment',
      summary: 'Download an attachment',
      method: 'get',
      path,
      row: FILE_ROW,
      response: 'file',
      run: ({ caller: csp, params }) => attachments.read(csp.cspId, params.attachmentId),
    }),
    operation({
      id: 'deleteAttachment',
      summary: 'Delete an attachment',
      method: 'delete',
      path,
      row: FILE_ROW,
      run: ({ caller: csp, params }) => attachments.remove(csp.cspId, params.attachmentId),
    }),
  ]
}
