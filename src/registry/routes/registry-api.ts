import { z } from '@hono/zod-openapi'
import type { Api, Gate, IdempotentRequests, Rates } from '../../platform/api/api.js'
import type { Logger } from '../../platform/log.js'
import type { ReadUpload } from '../../platform/uploads/read-upload.js'
import type { Csp } from '../storage/csps.js'
import type { RegistryOperation } from './dialect/operation.js'
import { registryDialect } from './dialect/registry-dialect.js'

export interface RegistryApiDeps {
  readonly operations: readonly RegistryOperation[]
  readonly gate: Gate<Csp>
  readonly readUpload: ReadUpload
  readonly rates: Rates
  readonly idempotency: IdempotentRequests
  readonly log: Logger
  /** Tests only: an answer that does not match its schema is an internal error. */
  readonly checkAnswers: boolean
}

const text = (description: string) => z.string().openapi({ description })

const PARAMS = {
  brandId: text('The id of a brand: B and six of A–Z and 0–9.'),
  campaignId: text('The id of a campaign: C and six of A–Z and 0–9.'),
  resellerId: text('The id of a reseller: R and six of A–Z and 0–9.'),
  assetId: text('The id of an image.'),
  attachmentId: text('The id of an attachment.'),
  referenceId: text('The id of a one-time password, as its request answered it.'),
  upstreamCnpId: text('The id of a partner, as in /enum/cnp.'),
  mnoId: text('The number of an operator, as in /enum/mno.'),
  usecase: text('The name of a use case, as in /enum/usecase.'),
  eventType: text('The name of a type of events, as in /webhook/eventType.'),
  eventCategory: text('The name of a category, as in /webhook/eventCategory.'),
  recordType: z.enum(['BRAND', 'CAMPAIGN']).openapi({ description: 'What the tag is on.' }),
  recordId: text('The id of what the tag is on.'),
  name: text('The name.'),
}

/** The API of the registry below `/v2/csp`. */
export function registryApi(deps: RegistryApiDeps): Api<Csp> {
  return {
    ...deps,
    base: '/v2/csp',
    tag: '10DLC registry',
    dialect: registryDialect,
    params: PARAMS,
    errors: [400, 401, 403, 429, 503],
    hidesPaths: false,
  }
}
