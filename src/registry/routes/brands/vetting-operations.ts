import { z } from '@hono/zod-openapi'
import { refuse } from '../../model/registry-error.js'
import type { Brands } from '../../services/brands/brands.js'
import type { Attachments } from '../../services/files/attachments.js'
import type { NewAppeal } from '../../services/vettings/appeals.js'
import type { ListedAppeal, Vettings } from '../../services/vettings/vettings.js'
import type { Vetting } from '../../storage/vettings.js'
import { described } from '../dialect/field-descriptions.js'
import { operation, type RegistryOperation } from '../dialect/operation.js'
import { isoTime, timestamp } from '../dialect/schemas.js'

const STATUSES = ['PENDING', 'UNSCORE', 'ACTIVE', 'FAILED', 'EXPIRED'] as const
const vettingResource = z
  .object(
    described({
      evpId: z.string(),
      vettingId: z.string(),
      vettingClass: z.string(),
      vettingStatus: z.enum(STATUSES),
      vettingScore: z.number().int().nullable(),
      reasons: z.array(z.string()),
      createDate: timestamp(),
      vettedDate: timestamp(),
    }),
  )
  .openapi('ExternalVetting')
const appealResource = z
  .object(
    described({
      appealId: z.string(),
      brandId: z.string(),
      evpId: z.string().nullable(),
      vettingId: z.string().nullable(),
      vettingClass: z.string().nullable(),
      requestDate: timestamp(),
      appealStatus: z.enum(['PENDING', 'COMPLETE']),
      appealStatusUpdateDate: timestamp(),
      categoryList: z.array(z.string()),
      explanation: z.string(),
      attachmentUuidList: z.array(z.string()),
      appealOutcome: z
        .object(described({ isGranted: z.boolean(), explanation: z.string() }))
        .nullable(),
    }),
  )
  .openapi('Appeal')
/** Required; the parameter may be repeated for several statuses. */
const statuses = z.preprocess(
  (value) => [value ?? []].flat(),
  z.array(z.enum(STATUSES)).min(1).max(STATUSES.length),
)
const evidenceResource = z.object(
  described({
    uuid: z.string(),
    fileName: z.string(),
    mimeType: z.string(),
  }),
)
const name = z.string().min(1).max(60)
const categories = z.array(name).min(1).max(10).optional()
const uuids = z.array(z.string().max(60)).max(10).nullish()
/** An appeal; the field names of the answer are accepted as well. */
const appealBody = z.object(
  described({
    appealCategories: categories,
    categoryList: categories,
    explanation: z.string().max(1024).nullish(),
    attachmentUuids: uuids,
    attachmentUuidList: uuids,
  }),
)

function newAppealOf(body: z.infer<typeof appealBody>): NewAppeal {
  const appealCategories = body.appealCategories ?? body.categoryList
  if (appealCategories === undefined)
    throw refuse(501, ['appealCategories'], 'appealCategories is required')
  return {
    appealCategories,
    explanation: body.explanation ?? '',
    attachmentUuids: body.attachmentUuids ?? body.attachmentUuidList ?? [],
  }
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
      query: z.object(described({ vettingStatus: statuses })),
      response: z.array(vettingResource),
      run: async ({ caller: csp, params, query }) =>
        (await vettings.list(csp.cspId, params.brandId, query.vettingStatus)).map(vettingToWire),
    }),
    operation({
      id: 'orderExternalVetting',
      summary: 'Order an external vetting',
      method: 'post',
      path,
      body: z.object(described({ evpId: name, vettingClass: name })),
      response: vettingResource,
      run: async ({ caller: csp, params, body }) =>
        vettingToWire(await vettings.order(csp, params.brandId, body)),
    }),
    operation({
      id: 'getEnhancedVettingReport',
      summary: 'Get the enhanced vetting of a brand',
      method: 'get',
      path: `${path}/enhancedVettingReport`,
      response: vettingResource,
      run: async ({ caller: csp, params }) =>
        vettingToWire(await vettings.enhancedReport(csp.cspId, params.brandId)),
    }),
    operation({
      id: 'importExternalVetting',
      summary: 'Import an external vetting that exists elsewhere',
      method: 'put',
      path,
      body: z.object(
        described({ evpId: name, vettingId: name, vettingToken: z.string().max(255).nullish() }),
      ),
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
      response: z.array(appealResource),
      run: async ({ caller: csp, params }) =>
        (await vettings.appeals(csp.cspId, params.brandId, false)).map(appealToWire),
    }),
    operation({
      id: 'appealBrand',
      summary: 'Appeal against the identity status of a brand',
      method: 'post',
      path,
      body: appealBody,
      run: async ({ caller: csp, params, body }) => {
        await vettings.appeal(csp, params.brandId, newAppealOf(body))
      },
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
      response: z.array(evidenceResource),
      run: async ({ caller: csp, params }) =>
        attachments.list(await owner(csp.cspId, params.brandId)),
    }),
    operation({
      id: 'addAppealEvidence',
      summary: 'Add a file that supports an appeal',
      method: 'post',
      path,
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
      response: z.array(appealResource),
      run: async ({ caller: csp, params }) =>
        (await vettings.appeals(csp.cspId, params.brandId, true)).map(appealToWire),
    }),
    operation({
      id: 'appealVetting',
      summary: 'Appeal against an external vetting',
      method: 'post',
      path,
      body: appealBody.extend(described({ evpId: name, vettingId: name })),
      run: async ({ caller: csp, params, body }) => {
        const { evpId, vettingId } = body
        const appeal = { ...newAppealOf(body), evpId, vettingId }
        await vettings.appeal(csp, params.brandId, appeal)
      },
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

function appealToWire({ appeal, vetting }: ListedAppeal): z.infer<typeof appealResource> {
  return {
    appealId: appeal.appealId,
    brandId: appeal.brandId,
    evpId: vetting?.evpId ?? null,
    vettingId: appeal.vettingId ?? null,
    vettingClass: vetting?.vettingClass ?? null,
    requestDate: isoTime(appeal.requestedAt),
    appealStatus: appeal.status,
    appealStatusUpdateDate: isoTime(appeal.statusAt),
    categoryList: [...appeal.appealCategories],
    explanation: appeal.explanation,
    attachmentUuidList: [...appeal.attachmentUuids],
    appealOutcome: appeal.outcome ?? null,
  }
}
