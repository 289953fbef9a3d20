import { z } from '@hono/zod-openapi'
import type { AccountGate } from '../../accounts/account-gate.js'
import type { Account, Accounts } from '../../accounts/accounts.js'
import type { Api, Gate, IdempotentRequests, Rates } from '../../platform/api/api.js'
import type { ApiRequest } from '../../platform/api/api-request.js'
import { basicOf, bearerOf } from '../../platform/api/authorization.js'
import type { Logger } from '../../platform/log.js'
import type { ReadUpload } from '../../platform/uploads/read-upload.js'
import type { Core } from '../model/core.js'
import { refuse } from '../model/registry-error.js'
import type { Services } from '../services/create-services.js'
import type { Csp } from '../storage/csps.js'
import { brandOperations } from './brands/brand-operations.js'
import { verificationOperations } from './brands/verification-operations.js'
import { vettingOperations } from './brands/vetting-operations.js'
import { campaignOperations } from './campaigns/campaign-operations.js'
import { numberOperations } from './campaigns/number-operations.js'
import { cspOperations } from './csps/csp-operations.js'
import { resellerOperations } from './csps/reseller-operations.js'
import { tagOperations } from './csps/tag-operations.js'
import { webhookOperations } from './csps/webhook-operations.js'
import type { RegistryOperation } from './dialect/operation.js'
import { registryDialect } from './dialect/registry-dialect.js'
import { enumOperations } from './enum-operations.js'
import { assetOperations } from './files/asset-operations.js'
import { attachmentOperations } from './files/attachment-operations.js'
import { sharingOperations } from './sharing/sharing-operations.js'

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

/** The secret of an account: 32 hex characters. */
const SECRET = /^[0-9a-fA-F]{32}$/

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

/** All operations of the API. Where two paths match, the first one is used. */
export function registryOperations(
  core: Core,
  services: Services,
  version: string,
): RegistryOperation[] {
  const { brands, campaigns, attachments } = services
  return [
    ...brandOperations(brands),
    ...verificationOperations(services.otps, services.resendAuthPlusMail),
    ...vettingOperations(services.vettings, attachments, brands),
    ...campaignOperations(campaigns, core.tables),
    ...sharingOperations(services.sharings),
    ...numberOperations(campaigns, services.numbers, core.tables),
    ...attachmentOperations(attachments, campaigns),
    ...assetOperations(services.assets),
    ...resellerOperations(services.resellers),
    ...tagOperations(services.tags),
    ...cspOperations(services.csps),
    ...webhookOperations(services.subscriptions, services.history, core.tables),
    ...enumOperations(core, version),
  ]
}

/**
 * Authenticates an active account as its CSP. It sends its secret as a Bearer token, or, as clients
 * of the public registry do, Basic with the SID of the account or of a key, and the secret.
 */
export function createRegistryGate(
  accounts: Accounts,
  accountGate: AccountGate,
  cspOf: (account: Account) => Promise<Csp>,
): Gate<Csp> {
  return {
    scheme: {
      name: 'registryKey',
      definition: {
        type: 'http',
        scheme: 'bearer',
        description:
          "The account's secret of 32 hex characters. HTTP Basic with the sid of the account, or of a key, and its secret is taken too.",
      },
    },
    identify: async (request) => {
      return await cspOf(accountGate.admit(request, await accountOf(request, accounts)))
    },
    admit: (csp, rate) => {
      if (rate === 'write' && csp.status !== 'ACTIVE') throw refuse(504, [], 'the CSP is suspended')
    },
    nameOf: ({ cspId }) => cspId,
  }
}

async function accountOf(request: ApiRequest, accounts: Accounts): Promise<Account | undefined> {
  const basic = basicOf(request)
  if (basic !== undefined)
    return (await accounts.authenticate(basic.username, basic.password))?.account
  const given = bearerOf(request) ?? ''
  return SECRET.test(given) ? await accounts.findBySecret(given.toLowerCase()) : undefined
}
