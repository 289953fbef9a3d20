import { z } from '@hono/zod-openapi'
import type { AttachmentKind } from '../rules/file-type.js'
import type { Campaigns } from '../services/campaigns/campaigns.js'
import type { Attachments } from '../services/files/attachments.js'
import { type Operation, operation } from './operation.js'

const TEST = 'attachments.test.ts'

const attachmentResource = z
  .object({ uuid: z.string(), fileName: z.string(), mimeType: z.string() })
  .openapi('Attachment')

export function attachmentOperations(attachments: Attachments, campaigns: Campaigns): Operation[] {
  const owner = async (cspId: string, campaignId: string, kind: AttachmentKind) => {
    await campaigns.find(cspId, campaignId)
    return { cspId, ownerId: campaignId, kind }
  }
  const pair = (kind: AttachmentKind, name: string, rows: readonly [string, string]) => [
    operation({
      id: `list_${name}`,
      method: 'get',
      path: `/campaign/{campaignId}/${name}`,
      row: rows[0],
      test: TEST,
      response: z.array(attachmentResource),
      run: async ({ csp, param }) =>
        attachments.list(await owner(csp.cspId, param('campaignId'), kind)),
    }),
    operation({
      id: `add_${name}`,
      method: 'post',
      path: `/campaign/{campaignId}/${name}`,
      row: rows[1],
      test: TEST,
      body: 'multipart',
      response: attachmentResource,
      run: async ({ csp, param, file }) =>
        attachments.add(await owner(csp.cspId, param('campaignId'), kind), file()),
    }),
  ]
  const documents = 'List / add supporting documents'
  const path = '/attachment/{attachmentId}'
  const row = 'Download / delete attachment'
  return [
    ...pair('mms', 'mms', ['List campaign MMS sample files', 'Add MMS sample file']),
    ...pair('document', 'supportingDocument', [documents, documents]),
    operation({
      id: 'downloadAttachment',
      method: 'get',
      path,
      row,
      test: TEST,
      response: 'file',
      run: ({ csp, param }) => attachments.read(csp.cspId, param('attachmentId')),
    }),
    operation({
      id: 'deleteAttachment',
      method: 'delete',
      path,
      row,
      test: TEST,
      run: ({ csp, param }) => attachments.remove(csp.cspId, param('attachmentId')),
    }),
  ]
}
