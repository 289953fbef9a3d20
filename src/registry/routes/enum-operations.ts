import { z } from '@hono/zod-openapi'
import type { Tables } from '../data/tables.js'
import type { Core } from '../model/core.js'
import { refuse } from '../model/registry-error.js'
import { described } from './dialect/field-descriptions.js'
import { list, operation, type RegistryOperation } from './dialect/operation.js'
import { queryFlag, queryText } from './dialect/schemas.js'

/** The operations below `/enum/`, the texts of the error codes, and the version. */
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
      response: z.record(z.string(), z.unknown()),
      run: () => Promise.resolve(value),
    }),
  )
  return [
    ...lists,
    ...maps,
    ...recordLists(tables),
    usecases(tables),
    publicCompanies(tables),
    ...facts(tables, version),
  ]
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

/** The operations that answer a map from codes to their names or descriptions. */
function mapsOf(
  tables: Tables,
  upstream: Core['upstream'],
): Record<string, Readonly<Record<string, unknown>>> {
  const { dcas } = tables.partners
  return {
    country: tables.countries.names,
    usState: Object.fromEntries(
      Object.entries(tables.usStates).map(([key, { displayName }]) => [key, displayName]),
    ),
    vertical: tables.verticals,
    cnp: upstream === undefined ? dcas : { ...dcas, [upstream.cnpId]: upstream.displayName },
  }
}

const mnoRecord = z.object(
  described(
    { networkId: z.number().int(), displayName: z.string(), osrBitmaskIndex: z.number().int() },
    { displayName: 'The name of the operator.' },
  ),
)
const dcaRecord = z.object(
  described(
    { id: z.string(), displayName: z.string() },
    {
      id: 'The id of the aggregator, to share campaigns with.',
      displayName: 'The name of the aggregator.',
    },
  ),
)
const providerRecord = z.object(
  described(
    { evpId: z.string(), displayName: z.string(), vettingClasses: z.array(z.string()) },
    { displayName: 'The name of the provider.' },
  ),
)
const attributeRecord = z.object(
  described(
    { id: z.string(), dataType: z.string(), description: z.string() },
    { id: 'The name of the attribute.' },
  ),
)
const feedbackCodeRecord = z.object(
  described(
    {
      code: z.string(),
      category: z.string(),
      message: z.string(),
      fields: z.array(z.string()),
    },
    { category: 'The category of feedback that it belongs to.' },
  ),
)

/** The operations that answer enumerations whose values are records. */
function recordLists(tables: Tables): RegistryOperation[] {
  const { partners, operators, optionalAttributes, feedbackCodes } = tables
  const recordList = (name: string, record: z.ZodType, values: readonly unknown[]) =>
    operation({
      id: `enum_${name}`,
      summary: `List the values of ${name} with what they mean`,
      method: 'get',
      path: `/enum/${name}`,
      response: z.array(record),
      run: () => Promise.resolve(values),
    })
  const mnos = operators.operators.map(({ networkId, displayName, osrBitmaskIndex }) => ({
    networkId,
    displayName,
    osrBitmaskIndex,
  }))
  const dcas = Object.entries(partners.dcas).map(([id, displayName]) => ({ id, displayName }))
  const providers = Object.entries(partners.vettingProviders).map(
    ([evpId, { displayName, classes }]) => ({ evpId, displayName, vettingClasses: classes }),
  )
  const attributes = Object.entries(optionalAttributes).map(
    ([id, { dataType, displayName: description }]) => ({ id, dataType, description }),
  )
  const codes = Object.entries(feedbackCodes).map(([code, { category, message, fields }]) => ({
    code,
    category,
    message,
    fields,
  }))
  return [
    recordList('mno', mnoRecord, mnos),
    recordList('dca', dcaRecord, dcas),
    recordList('extVettingProvider', providerRecord, providers),
    recordList('optionalAttributeNames', attributeRecord, attributes),
    recordList('vettingFeedbackCode', feedbackCodeRecord, codes),
  ]
}

function usecases(tables: Tables): RegistryOperation {
  return operation({
    id: 'enum_usecase',
    summary: 'List the use cases of campaigns',
    method: 'get',
    path: '/enum/usecase',
    query: z.object(described({ validSubUsecase: queryFlag() })),
    response: z.record(
      z.string(),
      z.object(
        described({
          classification: z.string(),
          description: z.string(),
          displayName: z.string(),
          minSubUsecases: z.number(),
          maxSubUsecases: z.number(),
          validSubUsecase: z.boolean(),
        }),
      ),
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
  const own = { displayName: 'The legal name of the company.' }
  const company = z.object(
    described({ displayName: z.string(), symbol: z.string(), exchange: z.string() }, own),
  )
  const query = z.object(
    described({ displayName: queryText(), symbol: queryText(10), exchange: queryText(20) }, own),
  )
  const companies = tables.publicCompanies.map((each) => ({
    displayName: each.companyName,
    symbol: each.stockSymbol,
    exchange: each.stockExchange,
  }))
  return list({
    id: 'enum_approvedPublicCompany',
    summary: 'List public companies that are known by name and symbol',
    path: '/enum/approvedPublicCompany',
    name: 'companies',
    record: company,
    query,
    run: ({ query: { displayName = '', symbol, exchange } }, { offset, limit }) => {
      const found = companies.filter(
        (each) =>
          each.displayName.toLowerCase().includes(displayName.toLowerCase()) &&
          (symbol === undefined || each.symbol === symbol) &&
          (exchange === undefined || each.exchange === exchange),
      )
      return Promise.resolve({ items: found.slice(offset, offset + limit), total: found.length })
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
      response: z.array(z.string()),
      run: ({ params }) =>
        Promise.reject(refuse(502, ['name'], `there is no enumeration ${params.name}`)),
    }),
    operation({
      id: 'listErrorCodes',
      summary: 'List the numbers of errors with their texts',
      method: 'get',
      path: '/error',
      response: z.record(z.string(), z.string()),
      run: () => Promise.resolve(tables.errors),
    }),
    operation({
      id: 'getVersion',
      summary: 'Get the version of the server',
      method: 'get',
      path: '/version',
      response: 'text',
      run: () => Promise.resolve(version),
    }),
  ]
}
