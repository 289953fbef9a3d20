import type { Passwords } from '../accounts/passwords.js'
import type { Api, Gate } from '../platform/api/api.js'
import { bearerOf } from '../platform/api/authorization.js'
import { DescribedApp } from '../platform/api/described-app.js'
import { descriptionOperation } from '../platform/api/description-operation.js'
import { RefusedError } from '../platform/api/dialect.js'
import { mountApi } from '../platform/api/mount-api.js'
import type { Logger } from '../platform/log.js'
import { isSameSecret } from '../platform/secrets.js'
import type { NumberBindings } from '../voice/applications/number-bindings.js'
import type { TrunkChecks } from '../voice/carriers/trunk-checks.js'
import type { RefusedCalls } from '../voice/refused-calls/refused-calls.js'
import type { Bindings } from '../voice/registrar/bindings.js'
import type { DrainedServers } from '../voice/telephony/drained-servers.js'
import { type AccountLifeDeps, createAccountLife } from './account-life.js'
import { accountOperations } from './account-operations.js'
import type { AdminOperation } from './admin-operation.js'
import { type CarrierOperationDeps, carrierOperations } from './carrier-operations.js'
import {
  INVENTORY_IMPORTS,
  type InventoryDeps,
  inventoryOperations,
} from './inventory-operations.js'
import { ledgerOperations } from './ledger-operations.js'
import type { LedgerOperationsDeps } from './money-operations.js'
import { numberOperations } from './number-operations.js'
import { type ObservationDeps, observationOperations } from './observation-operations.js'
import { type PortOperationsDeps, portOperations } from './port-operations.js'
import { privateDialect } from './private-dialect.js'
import { RATE_IMPORTS, type RateOperationsDeps, rateOperations } from './rate-operations.js'
import { refusedCallOperations } from './refused-call-operations.js'
import { regionOperations } from './region-operations.js'
import { registrationOperations } from './registration-operations.js'
import { serverOperations } from './server-operations.js'
import { trunkCheckOperation } from './trunk-check-operation.js'

export interface AdminApiDeps extends ObservationDeps, AccountLifeDeps, InventoryDeps {
  readonly version: string
  readonly token: string
  readonly passwords: Passwords
  readonly numbers: NumberBindings
  readonly trunks: CarrierOperationDeps & { readonly trunkChecks: Pick<TrunkChecks, 'page'> }
  readonly bindings: Bindings
  readonly log: Logger
  /** Ledger and rates; undefined for an API without them. */
  readonly billing?: (LedgerOperationsDeps & RateOperationsDeps) | undefined
  /** Number porting; undefined for an API without it. */
  readonly porting?: PortOperationsDeps | undefined
  /** Telephony servers; undefined for an API without them. */
  readonly servers?: Pick<DrainedServers, 'list' | 'set'> | undefined
  /** Calls that were refused; undefined for an API without them. */
  readonly refusedCalls?: Pick<RefusedCalls, 'list'> | undefined
  /** Operator APIs of other features. */
  readonly parts: readonly ((gate: Gate<unknown>) => Api<unknown>)[]
}

/** The API of the private listener; the operator sends `Authorization: Bearer ADMIN_TOKEN`. */
export function createAdminApi(deps: AdminApiDeps): DescribedApp {
  const app = new DescribedApp()
  const gate = createOperatorGate(deps.token)
  for (const part of deps.parts) mountApi(app, part(gate))
  mountApi(app, {
    base: '',
    tag: 'Operation',
    dialect: privateDialect,
    gate,
    operations: [
      ...adminOperations(deps),
      descriptionOperation(app, {
        title: 'Trunkline, private listener',
        version: deps.version,
        url: '/',
      }),
    ],
    params: {},
    errors: [400, 401, 503],
    hidesPaths: true,
    log: deps.log,
  })
  return app
}

/** Returns every operation of the private listener, except its description and those of other features. */
export function adminOperations(deps: AdminApiDeps): readonly AdminOperation[] {
  return [
    ...accountOperations(deps.accounts, deps.passwords, createAccountLife(deps)),
    ...regionOperations(),
    ...inventoryOperations(deps),
    ...numberOperations(deps.numbers, deps.accounts),
    ...carrierOperations(deps.trunks),
    trunkCheckOperation(deps.trunks.trunkChecks),
    ...registrationOperations(deps.bindings),
    ...(deps.servers === undefined ? [] : serverOperations(deps.servers)),
    ...billingOperations(deps.billing),
    ...(deps.porting === undefined ? [] : portOperations(deps.porting)),
    ...(deps.refusedCalls === undefined ? [] : refusedCallOperations(deps.refusedCalls)),
    ...observationOperations(deps),
  ]
}

function billingOperations(billing: AdminApiDeps['billing']): AdminOperation[] {
  return billing === undefined ? [] : [...ledgerOperations(billing), ...rateOperations(billing)]
}

/** Accepts requests with `Authorization: Bearer ADMIN_TOKEN`. */
function createOperatorGate(token: string): Gate<unknown> {
  return {
    scheme: {
      name: 'adminToken',
      definition: { type: 'http', scheme: 'bearer', description: 'The token ADMIN_TOKEN.' },
    },
    identify: (request) =>
      isSameSecret(bearerOf(request) ?? '', token)
        ? Promise.resolve(undefined)
        : Promise.reject(new RefusedError({ type: 'unauthenticated' })),
    nameOf: () => 'operator',
  }
}

/** True for an upload to the private listener, which is read as a stream. */
export const isOperatorUpload = (method: string, path: string): boolean =>
  method === 'POST' && (path === INVENTORY_IMPORTS || path === RATE_IMPORTS)
