import { z } from '@hono/zod-openapi'
import type { Brands } from '../services/brands/brands.js'
import type { Attachments } from '../services/files/attachments.js'
import type { Vettings } from '../services/vettings/vettings.js'
import type { Appeal, Vetting } from '../storage/vettings.js'
import { type Operation, operation } from './operation.js'
import { isoTime, timestamp } from './schemas.js'

const TEST = 'vetting.test.ts'

const STATUSES = ['PENDING', 'UNSCORE', 'ACTIVE', 'FAILED', 'EXPIRED'] as const
const vettingResource = z
  .object({
    evpId: z.string(),
    vettingId: z.string(),
    vettingClass: z.string(),
    vettingStatus: z.enum(STATUSES),
    vettingScore: z.number().int().nullable(),
    reasons: z.array(z.string()),
    createDate: timestamp(),
    vettedDate: timestamp(),
  })
  .openapi('ExternalVetting')
const appealResource = z
  .object({
    appealId: z.string(),
    vettingId: z.string().nullable(),
    requestDate: timestamp(),
    appealStatus: z.enum(['PENDING', 'COMPLETE']),
    appealStatusUpdateDate: timestamp(),
    appealCategories: z.array(z.string()),
    explanation: z.string(),
    attachmentUuids: z.array(z.string()),
    outcome: z.object({ isGranted: z.boolean(), explanation: z.string() }).nullable(),
  })
  .openapi('Appeal')
const evidenceResource = z.object({
  uuid: z.string(),
  fileName: z.string(),
  mimeType: z.string(),
})
const name = z.string().min(1).max(60)
const appealBody = {
  appealCategories: z.array(name).min(1).max(10),
  explanation: z.string().max(1024).nullish(),
  attachmentUuids: z.array(z.string().max(60)).max(10).nullish(),
}

export function vettingOperations(
  vettings: Vettings,
  attachments: Attachments,
  brands: Brands,
): Operation[] {
  return [
    ...vettingRoutes(vettings),
    ...brandAppealRoutes(vettings),
    ...evidenceRoutes(attachments, brands),
    ...vettingAppealRoutes(vettings),
  ]
}

function vettingRoutes(vettings: Vettings): Operation[] {
  const path = '/brand/{brandId}/externalVetting'
  return [
    operation({
      id: 'listExternalVettings',
      method: 'get',
      path,
      test: TEST,
      query: z.object({ vettingStatus: z.enum(STATUSES) }),
      response: z.array(vettingResource),
      run: async ({ csp, param, query }) =>
        (await vettings.list(csp.cspId, param('brandId'), query.vettingStatus)).map(vettingToWire),
    }),
    operation({
      id: 'orderExternalVetting',
      method: 'post',
      path,
      test: TEST,
      body: z.object({ evpId: name, vettingClass: name }),
      response: vettingResource,
      run: async ({ csp, param, body }) =>
        vettingToWire(await vettings.order(csp, param('brandId'), body)),
    }),
    operation({
      id: 'getEnhancedVettingReport',
      method: 'get',
      path: `${path}/enhancedVettingReport`,
      test: TEST,
      response: vettingResource,
      run: async ({ csp, param }) =>
        vettingToWire(await vettings.enhancedReport(csp.cspId, param('brandId'))),
    }),
    operation({
      id: 'importExternalVetting',
      method: 'put',
      path,
      test: TEST,
      body: z.object({ evpId: name, vettingId: name, vettingToken: z.string().max(255).nullish() }),
      response: vettingResource,
      run: async ({ csp, param, body }) =>
        vettingToWire(await vettings.import(csp, param('brandId'), body.evpId, body.vettingId)),
    }),
  ]
}

function brandAppealRoutes(vettings: Vettings): Operation[] {
  const path = '/brand/{brandId}/appeal'
  return [
    operation({
      id: 'listBrandAppeals',
      method: 'get',
      path,
      test: TEST,
      response: z.array(appealResource),
      run: async ({ csp, param }) =>
        (await vettings.appeals(csp.cspId, param('brandId'), false)).map(appealToWire),
    }),
    operation({
      id: 'appealBrand',
      method: 'post',
      path,
      test: TEST,
      body: z.object(appealBody),
      response: appealResource,
      run: async ({ csp, param, body }) =>
        appealToWire(
          await vettings.appeal(csp, param('brandId'), {
            appealCategories: body.appealCategories,
            explanation: body.explanation ?? '',
            attachmentUuids: body.attachmentUuids ?? [],
          }),
        ),
    }),
  ]
}

function evidenceRoutes(attachments: Attachments, brands: Brands): Operation[] {
  const path = '/brand/{brandId}/appeal/evidence'
  const owner = async (cspId: string, brandId: string) => {
    await brands.find(cspId, brandId)
    return { cspId, ownerId: brandId, kind: 'evidence' as const }
  }
  return [
    operation({
      id: 'listAppealEvidence',
      method: 'get',
      path,
      test: TEST,
      response: z.array(evidenceResource),
      run: async ({ csp, param }) => attachments.list(await owner(csp.cspId, param('brandId'))),
    }),
    operation({
      id: 'addAppealEvidence',
      method: 'post',
      path,
      test: TEST,
      body: 'multipart',
      response: evidenceResource,
      run: async ({ csp, param, file }) =>
        attachments.add(await owner(csp.cspId, param('brandId')), file()),
    }),
  ]
}

function vettingAppealRoutes(vettings: Vettings): Operation[] {
  const path = '/brand/{brandId}/externalVetting/appeal'
  return [
    operation({
      id: 'listVettingAppeals',
      method: 'get',
      path,
      test: TEST,
      response: z.array(appealResource),
      run: async ({ csp, param }) =>
        (await vettings.appeals(csp.cspId, param('brandId'), true)).map(appealToWire),
    }),
    operation({
      id: 'appealVetting',
      method: 'post',
      path,
      test: TEST,
      body: z.object({ ...appealBody, evpId: name, vettingId: name }),
      response: appealResource,
      run: async ({ csp, param, body }) =>
        appealToWire(
          await vettings.appeal(csp, param('brandId'), {
            appealCategories: body.appealCategories,
            explanation: body.explanation ?? '',
            attachmentUuids: body.attachmentUuids ?? [],
            vettingId: body.vettingId,
          }),
        ),
    }),
  ]
}

function vettingToWire(vetting: Vetting): z.infer<typeof vettingResource> {
  return {
    evpId: vetting.evpId,
    vettingId: vetting.vettingId,
    vettingClass: vetting.vettingClass,
    vettingStatus: vetting.status,
    vettingScore: vetting.score ?? null,
    reasons: [...vetting.reasons],
    createDate: isoTime(vetting.createdAt),
    vettedDate: isoTime(vetting.vettedAt),
  }
}

function appealToWire(appeal: Appeal): z.infer<typeof appealResource> {
  return {
    appealId: appeal.appealId,
    vettingId: appeal.vettingId ?? null,
    requestDate: isoTime(appeal.requestedAt),
    appealStatus: appeal.status,
    appealStatusUpdateDate: isoTime(appeal.statusAt),
    appealCategories: [...appeal.appealCategories],
    explanation: appeal.explanation,
    attachmentUuids: [...appeal.attachmentUuids],
    outcome: appeal.outcome ?? null,
  }
}
