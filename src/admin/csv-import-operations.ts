/** The operations of one kind of CSV import: import, list, get. */
import { z } from '@hono/zod-openapi'
import type { CsvImport, CsvImports } from '../platform/csv-imports/csv-imports.js'
import { type AdminOperation, operation } from './admin-operation.js'
import { notFound } from './private-dialect.js'

export interface CsvImportOperations {
  readonly path: string
  /** Name of the imported records, as in `importInventory` and `InventoryImport`. */
  readonly name: string
  readonly summary: string
  /** Describes the columns, and how existing rows are treated. */
  readonly description: string
  readonly imports: CsvImports
}

const time = (description: string) => z.iso.datetime().openapi({ description })
const count = (description: string) => z.number().int().openapi({ description })

const importFields = z.object({
  sid: z.string().openapi({ description: 'IM and 32 hex digits.' }),
  status: z.enum(['running', 'completed', 'failed', 'interrupted']).openapi({
    description:
      'failed: the file could not be read on; interrupted: no row has come for three minutes.',
  }),
  added: count('Rows that were new.'),
  changed: count('Rows that replaced others.'),
  refused: count('Rows that were refused.'),
  problem: z.string().optional().openapi({ description: 'Why it failed.' }),
  startedAt: time('When it began.'),
  updatedAt: time('When rows were stored last.'),
})

const reportFields = importFields.extend({
  refusedRows: z
    .array(
      z.object({
        line: count('The line of the file, from 1.'),
        text: z.string().openapi({ description: 'The beginning of the row.' }),
        reason: z.string().openapi({ description: 'Why it was refused.' }),
      }),
    )
    .openapi({ description: 'The first thousand rows that were refused.' }),
})

export function csvImportOperations(of: CsvImportOperations): AdminOperation[] {
  const { path, name, imports } = of
  const importResource = importFields.openapi(`${name}Import`)
  const reportResource = reportFields.openapi(`${name}ImportReport`)
  return [
    operation({
      id: `import${name}`,
      summary: of.summary,
      description: `${of.description} The file is CSV with commas, semicolons or tabs, in UTF-8 or UTF-16. The answer reports the refused rows. \`GET ${path}\` shows the progress.`,
      method: 'post',
      path,
      body: 'csv',
      status: 201,
      response: {
        mediaTypes: ['application/json'],
        description: 'The import, with its refused rows.',
        resource: reportResource,
        further: {
          422: {
            mediaTypes: ['application/json'],
            description: 'The file could not be read to its end; `problem` says why.',
            resource: reportResource,
          },
        },
      },
      run: async ({ http }) => {
        const body: ReadableStream<Uint8Array> | null = http.raw.body
        const { sid, status } = await imports.run(body ?? emptyBody())
        const report = await reportOf(sid, imports)
        return status === 'failed' ? Response.json(report, { status: 422 }) : report
      },
    }),
    operation({
      id: `list${name}Imports`,
      summary: 'List imports, the newest first, with their progress',
      method: 'get',
      path,
      response: z.object({ imports: z.array(importResource) }),
      run: async () => ({ imports: (await imports.list()).map(importToWire) }),
    }),
    operation({
      id: `get${name}Import`,
      summary: 'Get an import and its refused rows',
      method: 'get',
      path: `${path}/{sid}`,
      params: { sid: z.string().openapi({ description: 'IM and 32 hex digits.' }) },
      response: reportResource,
      errors: [404],
      run: ({ params: { sid } }) => reportOf(sid, imports),
    }),
  ]
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {
  // A request without a body is an empty file.
}

async function reportOf(sid: string, imports: CsvImports) {
  const found = sid.includes('\0') ? undefined : await imports.find(sid)
  if (found === undefined) throw notFound()
  return { ...importToWire(found.done), refusedRows: [...found.rows] }
}

function importToWire(done: CsvImport): z.infer<typeof importFields> {
  return {
    sid: done.sid,
    status: done.status,
    added: done.added,
    changed: done.changed,
    refused: done.refused,
    problem: done.problem,
    startedAt: new Date(done.startedAt).toISOString(),
    updatedAt: new Date(done.updatedAt).toISOString(),
  }
}
