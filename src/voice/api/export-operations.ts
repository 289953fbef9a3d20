/** The Exports resource: daily archives of an account, and the jobs that build them. */
import { z } from '@hono/zod-openapi'
import type { Exports } from '../exports/exports.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import { ApiError } from './dialect/errors.js'
import { operation, said, type VoiceOperation } from './dialect/operation.js'
import { unknownPath } from './dialect/voice-dialect.js'

const EXPORTS = '/Accounts/{AccountSid}/Exports'
const EXPORT = `${EXPORTS}/{Date}` as const
const JOB = `${EXPORT}/Job` as const
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
const params = {
  Date: z
    .string()
    .regex(DAY)
    .openapi({ description: 'A UTC day that is over, such as 2026-11-21.' }),
}

const exportList = z
  .object({
    account_sid: said('The sid of the account.'),
    uri: said('The path of the list.'),
    exports: z
      .array(
        z.object({
          date: said('The UTC day.'),
          size: z.number().int().openapi({ description: 'The size of the archive in bytes.' }),
          uri: said('The path that leads to the archive.'),
        }),
      )
      .openapi({ description: 'The archives, the newest first.' }),
  })
  .openapi('ExportList')

const jobResource = z
  .object({
    account_sid: said('The sid of the account.'),
    date: said('The UTC day.'),
    status: z
      .enum(['queued', 'building', 'completed', 'failed'])
      .openapi({ description: 'How far the build is.' }),
    progress: z.number().int().openapi({ description: 'How far the build is, in percent.' }),
    records: z.number().int().openapi({ description: 'How many records it has written.' }),
    size: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'The size of the archive that can be downloaded, if there is one.' }),
    date_created: said('When it was first asked for, as in RFC 2822.'),
    date_updated: said('When it changed last, as in RFC 2822.'),
    uri: said('Its path.'),
    export_uri: said('The path that leads to the archive.'),
  })
  .openapi('ExportJob')

export function exportOperations(exports: Exports): VoiceOperation[] {
  return [...archiveOperations(exports), ...jobOperations(exports)]
}

function archiveOperations(exports: Exports): VoiceOperation[] {
  return [
    operation({
      id: 'listExports',
      summary: 'List the archives of the last year, the newest first',
      method: 'get',
      path: EXPORTS,
      response: exportList,
      run: async ({ caller }) => {
        const uri = pathOf(caller.sid)
        const found = await exports.list(caller.sid)
        const shown = found.map(({ day, bytes }) => ({
          date: day,
          size: bytes ?? 0,
          uri: `${uri}/${day}`,
        }))
        return { account_sid: caller.sid, uri: `${uri}.json`, exports: shown }
      },
    }),
    operation({
      id: 'downloadExport',
      summary: 'Download the archive of a day',
      description: 'The answer leads to a URL that expires; it needs no credentials.',
      method: 'get',
      path: EXPORT,
      params,
      status: 302,
      response: { mediaTypes: [], description: 'A redirect to the archive, a tar file.' },
      errors: [404],
      run: async ({ caller, params: { Date: day } }) => {
        const link = await exports.link({ accountSid: caller.sid, day: checked(day) })
        if (link === undefined) throw unknownPath()
        const headers = { location: link, 'cache-control': 'private, no-store' }
        return new Response(null, { status: 302, headers })
      },
    }),
  ]
}

function jobOperations(exports: Exports): VoiceOperation[] {
  return [
    operation({
      id: 'buildExport',
      summary: 'Have the archive of a day built, or built anew',
      method: 'post',
      path: JOB,
      params,
      status: 202,
      response: jobResource,
      run: async ({ caller, params: { Date: day } }) =>
        jobToWire(await exports.request({ accountSid: caller.sid, day: checked(day) })),
    }),
    operation({
      id: 'fetchExportJob',
      summary: 'Get the state of a build',
      method: 'get',
      path: JOB,
      params,
      response: jobResource,
      errors: [404],
      run: async ({ caller, params: { Date: day } }) => {
        const found = await exports.find({ accountSid: caller.sid, day: checked(day) })
        if (found === undefined) throw unknownPath()
        return jobToWire(found)
      },
    }),
  ]
}

type ExportRow = NonNullable<Awaited<ReturnType<Exports['find']>>>

function jobToWire(row: ExportRow): z.infer<typeof jobResource> {
  const uri = `${pathOf(row.accountSid)}/${row.day}`
  return {
    account_sid: row.accountSid,
    date: row.day,
    status: row.state,
    progress: row.progress,
    records: row.records,
    size: row.bytes,
    date_created: rfc2822(new Date(row.createdAt)),
    date_updated: rfc2822(new Date(row.updatedAt)),
    uri: `${uri}/Job.json`,
    export_uri: uri,
  }
}

function checked(day: string): string {
  if (DAY.test(day)) return day
  throw new ApiError(400, 20422, "'Date' is not valid: must be a day such as 2026-11-21")
}

function pathOf(accountSid: string): string {
  return `/${API_VERSION}/Accounts/${accountSid}/Exports`
}
