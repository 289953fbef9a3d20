import { z } from '@hono/zod-openapi'
import type { Brands } from '../services/brands/brands.js'
import type { Attachments } from '../services/files/attachments.js'
import type { Vettings } from '../services/vettings/vettings.js'
import type { Appeal, Vetting } from '../storage/vettings.js'
import { operation, type RegistryOperation } from './operation.js'
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
): RegistryOperation[] {
  return [
    ...vettingRoutes(vettings),
    ...brandAppealRoutes(vettings),
    ...evidenceRoutes(attachments, brands),
    ...vettingAppealRoutes(vettings),
  ]
}

function vettingRoutes(vettings: Vettings): RegistryOperation[] {
  const path = '/brand/{brandId}/externalVetting'
  return [
    operation({
      id: 'listExternalVettings',
      summary: 'List the external vettings of a brand',
      method: 'get',
      path,
      test: TEST,
      query: z.object({ vettingStatus: z.enum(STATUSES) }),
      response: z.array(vettingResource),
      run: async ({ caller: csp, params, query }) =>
        (await vettings.list(csp.cspId, params.brandId, query.vettingStatus)).map(vettingToWire),
    }),
    operation({
      id: 'orderExternalVetting',
      summary: 'Order an external vetting',
      method: 'post',
      path,
      test: TEST,
      body: z.object({ evpId: name, vettingClass: name }),
      response: vettingResource,
      run: async ({ caller: csp, params, body }) =>
        vettingToWire(await vettings.order(csp, params.brandId, body)),
    }),
    operation({
      id: 'getEnhancedVettingReport',
      summary: 'Get the enhanced vetting of a brand',
      method: 'get',
      path: `${path}/enhancedVettingReport`,
      test: TEST,
      response: vettingResource,
      run: async ({ caller: csp, params }) =>
        vettingToWire(await vettings.enhancedReport(csp.cspId, params.brandId)),
    }),
    operation({
      id: 'importExternalVetting',
      summary: 'Import an external vetting that exists elsewhere',
      method: 'put',
      path,
      test: TEST,
      body: z.object({ evpId: name, vettingId: name, vettingToken: z.string().max(255).nullish() }),
      response: vettingResource,
      run: async ({ caller: csp, params, body }) =>
        vettingToWire(await vettings.import(csp, params.brandId, body.evpId, body.vettingId)),
    }),
  ]
}

function brandAppealRoutes(vettings: Vettings): RegistryOperation[] {
  const path = '/brand/{brandId}/appeal'
  return [
    operation({
      id: 'listBrandAppeals',
      summary: 'List the appeals against the identity status of a brand',
      method: 'get',
      path,
      test: TEST,
      response: z.array(appealResource),
      run: async ({ caller: csp, params }) =>
        (await vettings.appeals(csp.cspId, params.brandId, false)).map(appealToWire),
    }),
    operation({
      id: 'appealBrand',
      summary: 'Appeal against the identity status of a brand',
      method: 'post',
      path,
      test: TEST,
      body: z.object(appealBody),
      response: appealResource,
      run: async ({ caller: csp, params, body }) =>
        appealToWire(
          await vettings.appeal(csp, params.brandId, {
            appealCategories: body.appealCategories,
            explanation: body.explanation ?? '',
            attachmentUuids: body.attachmentUuids ?? [],
          }),
        ),
    }),
  ]
}

function evidenceRoutes(attachments: Attachments, brands: Brands): RegistryOperation[] {
  const path = '/brand/{brandId}/appeal/evidence'
  const owner = async (cspId: string, brandId: string) => {
    await brands.find(cspId, brandId)
    return { cspId, ownerId: brandId, kind: 'evidence' as const }
  }
  return [
    operation({
      id: 'listAppealEvidence',
      summary: 'List the files that support appeals of a brand',
      method: 'get',
      path,
      test: TEST,
      response: z.array(evidenceResource),
      run: async ({ caller: csp, params }) =>
        attachments.list(await owner(csp.cspId, params.brandId)),
    }),
    operation({
      id: 'addAppealEvidence',
      summary: 'Add a file that supports an appeal',
      method: 'post',
      path,
      test: TEST,
      body: 'multipart',
      response: evidenceResource,
      beforeBody: ({ caller: csp, params }) => owner(csp.cspId, params.brandId),
      run: async ({ caller: csp, params, body }) =>
        attachments.add(await owner(csp.cspId, params.brandId), body),
    }),
  ]
}

function vettingAppealRoutes(vettings: Vettings): RegistryOperation[] {
  const path = '/brand/{brandId}/externalVetting/appeal'
  return [
    operation({
      id: 'listVettingAppeals',
      summary: 'List the appeals against external vettings of a brand',
      method: 'get',
      path,
      test: TEST,
      response: z.array(appealResource),
      run: async ({ caller: csp, params }) =>
        (await vettings.appeals(csp.cspId, params.brandId, true)).map(appealToWire),
    }),
    operation({
      id: 'appealVetting',
      summary: 'Appeal against an external vetting',
      method: 'post',
      path,
      test: TEST,
      body: z.object({ ...appealBody, evpId: name, vettingId: name }),
      response: appealResource,
      run: async ({ caller: csp, params, body }) =>
        appealToWire(
          await vettings.appeal(csp, params.brandId, {
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
