import type { OpenAPIHono } from '@hono/zod-openapi'
import { createAccountApi } from '../account-api/account-api.js'
import { NO_BILLING } from '../account-api/account-billing.js'
import { createLogins } from '../accounts/logins.js'
import type { Base } from './base.js'

/** The account API. It is mounted last: the APIs below `/v2` that came before it keep their paths. */
export function wireAccountApi(base: Base): (app: OpenAPIHono) => void {
  const { accountGate, accounts, clock, config, db, log, passwords, vault } = base
  return createAccountApi({
    db,
    vault,
    clock,
    log,
    accounts,
    accountGate,
    logins: createLogins({ db, accounts, passwords }),
    billing: NO_BILLING,
    requestsPerHour: config.http.requestsPerHour,
  })
}
