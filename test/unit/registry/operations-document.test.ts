import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { RegistryOperation as Operation } from '../../../src/registry/routes/dialect/operation.js'
import { testOf } from '../../support/registry/operation-tests.js'
import { registryFixture } from '../../support/registry/registry-fixture.js'
import {
  describedOperations,
  operationsDocument,
  SPECIFIED_ROWS,
} from '../../support/registry/registry-operations.js'

let operations: readonly Operation[]
beforeAll(async () => {
  operations = await describedOperations()
})

/** The verbs that a row of the specification with several asks for. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  'List / add supporting documents': ['get', 'post'],
  'Download / delete attachment': ['get', 'delete'],
  'Get / update / delete reseller': ['get', 'put', 'delete'],
  'Get / update CSP profile': ['get', 'put'],
  'Get / update CNP migration settings': ['get', 'put'],
}

describe('the operations', () => {
  it.each(SPECIFIED_ROWS)('serve the row "%s"', (row) => {
    const methods = operations.filter((each) => each.row === row).map(({ method }) => method)
    expect(methods).not.toEqual([])
    expect(methods).toEqual(expect.arrayContaining([...(VERBS[row] ?? [])]))
  })

  it('name no row that the specification does not have', () => {
    const rows = operations.flatMap(({ row }) => (row === undefined ? [] : [row]))
    expect(rows.filter((row) => !SPECIFIED_ROWS.some((each) => each === row))).toEqual([])
  })

  it('each have an id and a route of their own', () => {
    const ids = operations.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const routes = operations.flatMap(({ method, path, aliases }) =>
      [path, ...aliases].map((each) => `${method} ${each}`),
    )
    expect(new Set(routes).size).toBe(routes.length)
  })

  it('name tests that are there', () => {
    const tests = [...new Set(operations.map(({ id }) => testOf(id) ?? `no test of ${id}`))]
    const missing = tests.filter((test) => !existsSync(new URL(test, import.meta.url)))
    expect(missing).toEqual([])
  })

  it('say what each parameter and each field means', async () => {
    await using fixture = await registryFixture()
    const info = { title: 'Registry', version: '0.0.0' }
    const document = fixture.app.document({ openapi: '3.1.0', info })
    expect(undescribed(document)).toEqual([])
  })

  it('are all described in /openapi.json', async () => {
    await using fixture = await registryFixture()
    const info = { title: 'Registry', version: '0.0.0' }
    const { paths } = fixture.app.document({ openapi: '3.1.0', info })
    const described = Object.entries(paths ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    const served = operations.flatMap(({ method, path, aliases }) =>
      [path, ...aliases].map((each) => `${method} /v2/csp${each}`),
    )
    const page = ['get /v2/csp/confirm/{token}', 'post /v2/csp/confirm/{token}']
    expect(described.toSorted()).toEqual([...served, ...page].toSorted())
  })

  it('are documented as they are', async () => {
    const document = operationsDocument(operations)
    await expect(document).toMatchFileSnapshot('../../../docs/registry-operations.md')
  })
})

interface DescribedNode {
  readonly properties?: Readonly<Record<string, object>>
  readonly parameters?: readonly DescribedParameter[] | object
}
interface DescribedParameter {
  readonly name: string
  readonly schema?: object
}

/** Where a field or parameter of an OpenAPI document has no description: its path in the document. */
function undescribed(node: unknown, path = '#'): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { properties, parameters } = node as DescribedNode // as OpenAPI calls them
  const fields = Object.entries(properties ?? {}).filter(([, schema]) => !hasDescription(schema))
  const listed = Array.isArray(parameters) ? (parameters as DescribedParameter[]) : []
  const bare = listed.filter((each) => !hasDescription(each) && !hasDescription(each.schema ?? {}))
  return [
    ...fields.map(([name]) => `${path}.${name}`),
    ...bare.map(({ name }) => `${path}?${name}`),
    ...Object.entries(node).flatMap(([name, each]) => undescribed(each, `${path}/${name}`)),
  ]
}

function hasDescription(schema: object): boolean {
  return 'description' in schema || '$ref' in schema
}
