import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  legacyOperations,
  numberingOperations,
  restOperations,
} from '../../../src/account-api/account-api.js'
import type { AccountOperation } from '../../../src/account-api/dialect/rest-operation.js'
import { portPageOperations } from '../../../src/account-api/porting/port-pages.js'
import { accountApiFixture } from '../../support/account/account-api-fixture.js'
import {
  ALL_LEGACY_ROWS,
  ALL_NUMBERING_ROWS,
  ALL_REST_ROWS,
} from '../../support/account/all-rows.js'
import { testOf } from '../../support/account/operation-tests.js'
import { routesCell } from '../../support/http/operations-table.js'

interface Style {
  readonly title: string
  readonly base: string
  readonly operations: readonly AccountOperation[]
}

let fixture: Awaited<ReturnType<typeof accountApiFixture>>
let styles: readonly Style[] = []
let operations: readonly AccountOperation[] = []
beforeAll(async () => {
  fixture = await accountApiFixture()
  styles = [
    { title: 'REST style', base: '/v2.2', operations: restOperations(fixture.deps) },
    { title: 'Legacy style', base: '/v2.1', operations: legacyOperations(fixture.deps) },
    { title: 'Legacy style', base: '/v2', operations: numberingOperations(fixture.deps) },
    { title: 'Pages of ports', base: '/a', operations: portPageOperations(fixture.porting) },
  ]
  operations = styles.flatMap((style) => style.operations)
})
afterAll(() => fixture[Symbol.asyncDispose]())

describe('the operations of the account API', () => {
  it.each(
    [...ALL_REST_ROWS, ...ALL_LEGACY_ROWS, ...ALL_NUMBERING_ROWS].map(
      ({ row, id, paths }) => [row, id, paths] as const,
    ),
  )('serve the row "%s" by %s', (_row, id, paths) => {
    const served = styles.flatMap(({ base, operations: own }) =>
      own
        .filter((each) => each.id === id)
        .flatMap(({ path, aliases }) => [path, ...aliases].map((each) => base + each)),
    )
    expect(served).toEqual(paths)
  })

  it('that one address may ask six times an hour are named in docs/account-api.md, and no others', () => {
    const [, limits = ''] = readFileSync('docs/account-api.md', 'utf8').split('\n## Limits\n')
    const [rows = ''] = limits.split('\n## ')
    const named = [...rows.matchAll(/`(\/v2[^`]*)`/g)].map(([, path]) => path)
    const limited = styles.flatMap(({ base, operations: own }) =>
      own.filter(({ addressLimit }) => addressLimit !== undefined).map(({ path }) => base + path),
    )
    expect(named.toSorted()).toEqual([...new Set(limited)].toSorted())
  })

  it('about accounts and their money are rows of the contract, all but the pages', () => {
    const rows = new Set([...ALL_REST_ROWS, ...ALL_LEGACY_ROWS].map(({ id }) => id))
    const own = operations.filter(({ path }) => /^\/(account|acl|auth)/.test(path))
    const others = own.filter(({ id }) => !rows.has(id)).map(({ id }) => id)
    expect(others).toEqual(['showVerification', 'verify', 'showRecovery', 'recover'])
  })

  it('each have an id, a route and a test of their own', () => {
    const ids = operations.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const tests = operations.map(({ id }) => testOf(id) ?? `no test of ${id}`)
    const absent = tests.filter((test) => !existsSync(new URL(test, import.meta.url)))
    expect(absent).toEqual([])
  })

  it('are all described in /openapi.json, with every field', () => {
    const info = { title: 'Account API', version: '0.0.0' }
    const document = fixture.app.document({ openapi: '3.1.0', info })
    const described = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    const served = styles.flatMap(({ base, operations: own }) =>
      own.flatMap(({ method, path, aliases }) =>
        [path, ...aliases].map((each) => `${method} ${base}${each}`),
      ),
    )
    expect(described.toSorted()).toEqual(served.toSorted())
    expect(undescribed(document)).toEqual([])
  })

  it('are documented as they are', async () => {
    await expect(documentOf(styles)).toMatchFileSnapshot('../../../docs/account-operations.md')
  })
})

function documentOf(all: readonly Style[]): string {
  const sections = all.map(({ title, base, operations: own }) => {
    const rows = own.map((each) => {
      const test = testOf(each.id) ?? ''
      return `| ${each.row ?? ''} | ${routesCell(each)} | ${each.summary} | ${test} |`
    })
    return `## ${title}, below \`${base}\`

| Row of the specification | Route | What it does | Test |
|---|---|---|---|
${rows.join('\n')}
`
  })
  return `# Operations of the account API

What each takes and answers: \`/openapi.json\`. A path has the same meaning with a slash at its end and without. This
page is generated from the operations that the server mounts; its test fails when it is not current
(\`npx vitest run --project unit test/unit/account-api/operations-document.test.ts -u\` writes it anew). Tests are
below \`test/unit/account-api\`.

${sections.join('\n')}`
}

interface DescribedNode {
  readonly properties?: Readonly<Record<string, object>>
}

/** Where a field of an OpenAPI document has no description: its path in the document. */
function undescribed(node: unknown, path = '#'): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { properties } = node as DescribedNode // as OpenAPI calls them
  const bare = Object.entries(properties ?? {}).filter(
    ([, schema]) => !('description' in schema) && !('$ref' in schema),
  )
  return [
    ...bare.map(([name]) => `${path}.${name}`),
    ...Object.entries(node).flatMap(([name, each]) => undescribed(each, `${path}/${name}`)),
  ]
}
