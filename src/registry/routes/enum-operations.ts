import { z } from '@hono/zod-openapi'
import type { Tables } from '../data/tables.js'
import type { Core } from '../model/core.js'
import { refuse } from '../model/registry-error.js'
import { list, operation, type RegistryOperation } from './operation.js'
import { queryFlag, queryText } from './schemas.js'

const TEST = 'enumerations.test.ts'

/** `/enum/…`, the texts of the error codes, and what version this is. */
export function enumOperations(
  { tables, upstream }: Pick<Core, 'tables' | 'upstream'>,
  version: string,
): RegistryOperation[] {
  const lists = Object.entries(listsOf(tables)).map(([name, values]) =>
    operation({
      id: `enum_${name}`,
      summary: `List the values of ${name}`,
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
      summary: `Get the values of ${name} with what they mean`,
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

function usecases(tables: Tables): RegistryOperation {
  return operation({
    id: 'enum_usecase',
    summary: 'List the use cases of campaigns',
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

function publicCompanies(tables: Tables): RegistryOperation {
  const company = z.object({
    companyName: z.string(),
    stockSymbol: z.string(),
    stockExchange: z.string(),
  })
  return list({
    id: 'enum_approvedPublicCompany',
    summary: 'List public companies that are known by name and symbol',
    path: '/enum/approvedPublicCompany',
    test: TEST,
    name: 'companies',
    record: company,
    query: z.object({ companyName: queryText(), stockSymbol: queryText(10) }),
    run: ({ query: { companyName = '', stockSymbol } }, { offset, limit }) => {
      const found = tables.publicCompanies.filter(
        (each) =>
          each.companyName.toLowerCase().includes(companyName.toLowerCase()) &&
          (stockSymbol === undefined || each.stockSymbol === stockSymbol),
      )
      const items = found.slice(offset, offset + limit)
      return Promise.resolve({ items, total: found.length })
    },
  })
}

function facts(tables: Tables, version: string): RegistryOperation[] {
  return [
    operation({
      id: 'enum_unknown',
      summary: 'Refuse an enumeration that does not exist, with 502',
      method: 'get',
      path: '/enum/{name}',
      test: TEST,
      response: z.array(z.string()),
      run: ({ params }) =>
        Promise.reject(refuse(502, ['name'], `there is no enumeration ${params.name}`)),
    }),
    operation({
      id: 'listErrorCodes',
      summary: 'List the numbers of errors with their texts',
      method: 'get',
      path: '/error',
      test: TEST,
      response: z.record(z.string(), z.string()),
      run: () => Promise.resolve(tables.errors),
    }),
    operation({
      id: 'getVersion',
      summary: 'Get the version of the server',
      method: 'get',
      path: '/version',
      test: TEST,
      response: 'text',
      run: () => Promise.resolve(version),
    }),
  ]
}
