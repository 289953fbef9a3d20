/**
 * The account API, in two styles over the same features: REST below `/v2.2`, legacy below `/v2.1` and `/v2`.
 */

import type { AccessLists } from '../accounts/access-lists.js'
import type { AccountGate } from '../accounts/account-gate.js'
import type { Account, Accounts } from '../accounts/accounts.js'
import type { Logins } from '../accounts/logins.js'
import type { Passwords } from '../accounts/passwords.js'
import type { Recoveries } from '../accounts/recoveries.js'
import type { SignUps } from '../accounts/sign-ups.js'
import type { SipAuthentication } from '../accounts/sip-authentication.js'
import type { EmergencyService } from '../emergency/emergency-service.js'
import type { Lookups } from '../lookups/lookups.js'
import type { Api } from '../platform/api/api.js'
import type { DescribedApp } from '../platform/api/described-app.js'
import { mountApi } from '../platform/api/mount-api.js'
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { createIdempotentRequests } from '../platform/idempotency/idempotent-requests.js'
import type { Logger } from '../platform/log.js'
import type { Vault } from '../platform/secrets.js'
import type { Porting } from '../porting/porting.js'
import type { Bindings } from '../voice/registrar/bindings.js'
import { aclOperations } from './access/acl-operations.js'
import { authOperations } from './access/auth-operations.js'
import { accountOperations } from './account/account-operations.js'
import { settingsOperations } from './account/settings-operations.js'
import { subAccountOperations } from './account/sub-account-operations.js'
import type { AccountBilling } from './account-billing.js'
import { createAddressLimit } from './address-limit.js'
import { billingOperations } from './billing/billing-operations.js'
import { createLegacyGate, createRestGate } from './dialect/account-gates.js'
import type { Failure } from './dialect/api-failure.js'
import { legacyDialect, legacyFailure } from './dialect/legacy-dialect.js'
import { restDialect, restFailure } from './dialect/rest-dialect.js'
import type { AccountOperation, Styles } from './dialect/rest-operation.js'
import { emergencyOperations } from './emergency/emergency-operations.js'
import { type GatewayDeps, gatewayOperations } from './gateways/gateway-operations.js'
import { lookupOperations } from './lookups/lookup-operations.js'
import { campaignOperations } from './messages/campaign-operations.js'
import { type MessagingDeps, messageOperations } from './messages/message-operations.js'
import { messagingOperations } from './messages/messaging-operations.js'
import { inventoryOperations } from './numbers/inventory-operations.js'
import { numberOperations } from './numbers/number-operations.js'
import type { Numbering } from './numbers/numbering.js'
import { orderOperations } from './numbers/order-operations.js'
import { numberSettingOperations } from './numbers/setting-operations.js'
import { legacyPortOperations } from './porting/legacy-port-operations.js'
import { portOperations } from './porting/port-operations.js'
import { portPageApi } from './porting/port-pages.js'
import { recoveryOperations } from './sign-up/recovery-operations.js'
import { signUpOperations } from './sign-up/sign-up-operations.js'

export const REST_BASE = '/v2.2'
export const LEGACY_BASE = '/v2.1'
export const NUMBERING_BASE = '/v2'

export interface AccountApiDeps extends GatewayDeps, MessagingDeps {
  readonly db: Database
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Logger
  readonly accounts: Accounts
  readonly accountGate: AccountGate
  readonly logins: Logins
  readonly passwords: Passwords
  readonly lists: AccessLists
  readonly sipAuthentication: SipAuthentication
  readonly signUps: SignUps
  readonly recoveries: Recoveries
  readonly bindings: Pick<Bindings, 'newestOf'>
  readonly billing: AccountBilling
  readonly numbering: Omit<Numbering, 'accounts' | 'messages'>
  readonly emergency: EmergencyService
  readonly lookups: Lookups
  readonly porting: Porting
  /** Maximum number of requests per address and hour to each limited operation; 0: no limit. */
  readonly requestsPerHour: number
  /** True in tests: an answer that does not match its schema is an error. */
  readonly checkAnswers?: boolean
}

/** Paths to which letters of authorisation are uploaded: by the API and by the upload page. */
const LETTER_UPLOADS = [/^\/v2\.2\/ports\/[^/]+\/loa\/?$/, /^\/a\/loa\/[^/]+\/[^/]+\/?$/]

const LEGACY_PATH = /^\/v2(\.1|\/i?[Nn]umbering)\//
const TOO_LARGE: Failure = { status: 413, message: 'The body is too large' }

/** Mounts both styles. Mount it last: below `/v2` it serves only the paths that no other API serves. */
export function createAccountApi(deps: AccountApiDeps): (app: DescribedApp) => void {
  const { db, vault, clock, log } = deps
  const common = {
    addressLimit: createAddressLimit(deps.requestsPerHour, deps),
    idempotency: createIdempotentRequests(db, clock, vault),
    ignoresLastSlash: true,
    hidesPaths: false,
    params: {},
    log,
    checkAnswers: deps.checkAnswers,
  }
  const legacyStyle: Omit<Api<Account>, 'base' | 'operations'> = {
    ...common,
    tag: 'Account, legacy style',
    dialect: legacyDialect,
    gate: createLegacyGate(deps),
    errors: [400, 401, 403, 429, 503],
  }
  return (app) => {
    mountApi(app, {
      ...common,
      base: REST_BASE,
      tag: 'Account',
      dialect: restDialect,
      gate: createRestGate(deps),
      errors: [400, 401, 403, 429, 503],
      operations: restOperations(deps),
      readUpload: deps.porting.readUpload,
    })
    mountApi(app, { ...legacyStyle, base: LEGACY_BASE, operations: legacyOperations(deps) })
    mountApi(app, { ...legacyStyle, base: NUMBERING_BASE, operations: numberingOperations(deps) })
    mountApi(app, portPageApi(deps.porting, log))
  }
}

function stylesOf(deps: AccountApiDeps): readonly Styles[] {
  const { accounts, billing, clock, messages, numbering, porting } = deps
  return [
    accountOperations(deps),
    billingOperations(billing, clock),
    settingsOperations(deps),
    subAccountOperations(deps),
    signUpOperations(deps),
    recoveryOperations(deps.recoveries),
    aclOperations(deps.lists),
    authOperations(deps),
    inventoryOperations(numbering.provider),
    orderOperations({ ...numbering, clock }),
    // Before `numberOperations`: `messaging` in a path is not a number.
    messagingOperations(deps),
    campaignOperations(deps),
    numberOperations({ ...numbering, accounts, messages }),
    numberSettingOperations(numbering),
    gatewayOperations(deps),
    emergencyOperations(deps.emergency),
    lookupOperations(deps.lookups),
    { rest: portOperations(porting), ...legacyPortOperations(porting) },
    messageOperations(deps),
  ]
}

export function restOperations(deps: AccountApiDeps): readonly AccountOperation[] {
  return stylesOf(deps).flatMap(({ rest = [] }) => rest)
}

/** The operations of the legacy style below `/v2.1`. */
export function legacyOperations(deps: AccountApiDeps): readonly AccountOperation[] {
  return stylesOf(deps).flatMap(({ legacy = [] }) => legacy)
}

/** The operations of the legacy style below `/v2`. */
export function numberingOperations(deps: AccountApiDeps): readonly AccountOperation[] {
  return stylesOf(deps).flatMap(({ numbering = [] }) => numbering)
}

/** True for the upload of a letter: its body is streamed and has its own size limit. */
export const isPortUpload = (method: string, path: string): boolean =>
  method === 'POST' && LETTER_UPLOADS.some((each) => each.test(path))

/**
 * The response to a body above the listener's limit, in the style of its path; undefined for a path of another
 * API.
 */
export function accountTooLarge({ url }: Request): Response | undefined {
  const { pathname } = new URL(url)
  if (pathname.startsWith('/v2.2/')) return refusal(restFailure(TOO_LARGE).body)
  return LEGACY_PATH.test(pathname) ? refusal(legacyFailure(TOO_LARGE).body) : undefined
}

function refusal(body: object): Response {
  return Response.json(body, { status: TOO_LARGE.status })
}
