import type { OpenAPIHono } from '@hono/zod-openapi'
import { createAccountApi } from '../account-api/account-api.js'
import { NO_BILLING } from '../account-api/account-billing.js'
import { createAccessLists } from '../accounts/access-lists.js'
import { createLogins } from '../accounts/logins.js'
import { createSipAuthentication } from '../accounts/sip-authentication.js'
import type { Base } from './base.js'
import type { Voice } from './voice.js'

/** The account API. It is mounted last: the APIs below `/v2` that came before it keep their paths. */
export function wireAccountApi(base: Base, { registration }: Voice): (app: OpenAPIHono) => void {
  const { accountGate, accounts, clock, config, db, log, passwords, vault } = base
  return createAccountApi({
    db,
    vault,
    clock,
    log,
    accounts,
    accountGate,
    passwords,
    logins: createLogins({ db, accounts, passwords }),
    lists: createAccessLists({ db, clock }),
    sipAuthentication: createSipAuthentication({ db, vault, accounts }),
    bindings: registration.bindings,
    billing: NO_BILLING,
    requestsPerHour: config.http.requestsPerHour,
  })
}
