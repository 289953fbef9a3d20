import { z } from '@hono/zod-openapi'
import type { Api, Gate } from '../../../platform/api/api.js'
import type { Dialect } from '../../../platform/api/dialect.js'
import type { Operation } from '../../../platform/api/operation.js'
import { plainDialect } from '../../../platform/api/plain-dialect.js'
import type { Logger } from '../../../platform/log.js'
import { registryDialect } from '../dialect/registry-dialect.js'

/**
 * The operator's dialect: errors are the registry's arrays, except for a caller without operator
 * access.
 */
const operatorDialect: Dialect = {
  ...registryDialect,
  problems: { 401: plainDialect.problem },
  refusals: {
    ...registryDialect.refusals,
    unauthenticated: plainDialect.refusals.unauthenticated,
  },
}

const id = (of: string) => z.string().openapi({ description: `The id of ${of}.` })

const PARAMS = {
  brandId: id('the brand'),
  campaignId: id('the campaign'),
  vettingId: id('the vetting'),
  appealId: id('the appeal'),
  assetId: id('the image'),
  cspId: id('the CSP'),
  cnpId: id('the partner, as in /enum/cnp'),
  mnoId: z.string().openapi({ description: 'The number of the operator, as in /enum/mno.' }),
  number: z.string().openapi({ description: 'The phone number in E.164.' }),
}

/** The API of the registry's operator. */
export function operatorApi(
  operations: readonly Operation<unknown>[],
  base: string,
  gate: Gate<unknown>,
  log: Logger,
): Api<unknown> {
  return {
    base,
    tag: '10DLC registry',
    dialect: operatorDialect,
    gate,
    operations,
    params: PARAMS,
    errors: [400, 401, 503],
    hidesPaths: true,
    log,
  }
}
