import { z } from '@hono/zod-openapi'
import type { Tables } from '../data/tables.js'
import type { Core } from '../model/core.js'
import { refuse } from '../model/registry-error.js'
import { type Operation, operation } from './operation.js'
import { pageQuery, queryFlag, queryText, recordSet } from './schemas.js'

const TEST = 'enumerations.test.ts'

/** `/enum/…`, the texts of the error codes, and what version this is. */
export function enumOperations(
  { tables, upstream }: Pick<Core, 'tables' | 'upstream'>,
  version: string,
): Operation[] {
  const lists = Object.entries(listsOf(tables)).map(([name, values]) =>
    operation({
      id: `enum_${name}`,
      method: 'get',
      path: `/enum/${name}`,
      ...(name === 'nudgeIntent' ? { row: 'Nudge intents list' } : {}),
      test: TEST,
      response: z.array(z.string()),
      run: () => Promise.resolve(values),
    }),
  )
  const maps = Object.entries(mapsOf(tables, upstream)).map(([name, value]) =>
    operation({
      id: `enum_${name}`,
      method: 'get',
      path: `/enum/${name}`,
      test: TEST,
      response: z.record(z.string(), z.unknown()),
      run: () => Promise.resolve(value),
    }),
  )
  return [...lists, ...maps, usecases(tables), publicCompanies(tables), ...facts(tables, version)]
}

const LISTS = [
  'altBusinessIdType',
  'assetAppealCategory',
  'brandAppealCategory',
  'brandIdentityStatus',
  'brandRelationship',
  'brandStatus',
  'campaignStatus',
  'entityType',
  'extVettingAppealCategory',
  'nudgeIntent',
  'operationStatus',
  'rejectionCategory',
  'stockExchange',
  'suspensionCategory',
  'vettingClass',
  'vettingStatus',
] as const

function listsOf(tables: Tables): Record<string, readonly string[]> {
  return Object.fromEntries(LISTS.map((name) => [name, tables.enumerations[name] ?? []]))
}

type JsonMap = Readonly<Record<string, unknown>>

function mapsOf(tables: Tables, upstream: Core['upstream']): Record<string, JsonMap> {
  const names = (entries: readonly (readonly [string, string])[]): JsonMap =>
    Object.fromEntries(entries.map(([key, displayName]) => [key, { displayName }]))
  const { partners, operators } = tables
  return {
    country: tables.countries.names,
    usState: Object.fromEntries(
      Object.entries(tables.usStates).map(([key, { displayName }]) => [key, displayName]),
    ),
    vertical: tables.verticals,
    cnp: names([
      ...Object.entries(partners.dcas),
      ...(upstream === undefined ? [] : [[upstream.cnpId, upstream.displayName] as const]),
    ]),
    dca: names(Object.entries(partners.dcas)),
    mno: Object.fromEntries(
      operators.operators.map(({ networkId, displayName, osrBitmaskIndex }) => [
        String(networkId),
        { networkId, displayName, osrBitmaskIndex },
      ]),
    ),
    extVettingProvider: partners.vettingProviders,
    optionalAttributeNames: tables.optionalAttributes,
    vettingFeedbackCode: tables.feedbackCodes,
  }
}

function usecases(tables: Tables): Operation {
  return operation({
    id: 'enum_usecase',
    method: 'get',
    path: '/enum/usecase',
    test: TEST,
    query: z.object({ validSubUsecase: queryFlag() }),
    response: z.record(
      z.string(),
      z.object({
        classification: z.string(),
        description: z.string(),
        displayName: z.string(),
        minSubUsecases: z.number(),
        maxSubUsecases: z.number(),
        validSubUsecase: z.boolean(),
      }),
    ),
    run: ({ query }) =>
      Promise.resolve(
        Object.fromEntries(
          Object.entries(tables.usecases)
            .filter(
              ([, { validSubUsecase }]) =>
                query.validSubUsecase === undefined || query.validSubUsecase === validSubUsecase,
            )
            .map(([key, { monthlyFee: _, ...usecase }]) => [key, usecase]),
        ),
      ),
  })
}

function publicCompanies(tables: Tables): Operation {
  const company = z.object({
    companyName: z.string(),
    stockSymbol: z.string(),
    stockExchange: z.string(),
  })
  return operation({
    id: 'enum_approvedPublicCompany',
    method: 'get',
    path: '/enum/approvedPublicCompany',
    test: TEST,
    query: pageQuery.extend({ companyName: queryText(), stockSymbol: queryText(10) }),
    response: recordSet(company),
    run: ({ query: { page, recordsPerPage, companyName = '', stockSymbol } }) => {
      const found = tables.publicCompanies.filter(
        (each) =>
          each.companyName.toLowerCase().includes(companyName.toLowerCase()) &&
          (stockSymbol === undefined || each.stockSymbol === stockSymbol),
      )
      const from = (page - 1) * recordsPerPage
      const records = found.slice(from, from + recordsPerPage)
      return Promise.resolve({ records, page, totalRecords: found.length })
    },
  })
}

function facts(tables: Tables, version: string): Operation[] {
  return [
    operation({
      id: 'enum_unknown',
      method: 'get',
      path: '/enum/{name}',
      test: TEST,
      response: z.array(z.string()),
      run: ({ param }) =>
        Promise.reject(refuse(502, ['name'], `there is no enumeration ${param('name')}`)),
    }),
    operation({
      id: 'listErrorCodes',
      method: 'get',
      path: '/error',
      test: TEST,
      response: z.record(z.string(), z.string()),
      run: () => Promise.resolve(tables.errors),
    }),
    operation({
      id: 'getVersion',
      method: 'get',
      path: '/version',
      test: TEST,
      response: 'text',
      run: () => Promise.resolve(version),
    }),
  ]
}
