import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { errorsIn } from '../support/process/process-memory.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 60_000
const SERVICE = '15551112222'
const METHODS = ['OPTIONS', 'INVITE', 'REGISTER']
const run = promisify(execFile)

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
  await trunkline.assignNumber(`+${SERVICE}`, { voiceUrl: `${app.url}/voice` })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** SIPVicious looks for servers, then for their extensions, then for a password. */
const programs = (port: string): readonly (readonly [string, readonly string[]])[] => [
  ...METHODS.map(
    (method) => ['svmap', ['-b', '127.0.0.1', '-p', port, '-m', method, '127.0.0.1']] as const,
  ),
  ...METHODS.map(
    (method) =>
      [
        'svwar',
        ['-b', '127.0.0.1', '-p', port, '-m', method, '-e', `100-110,${SERVICE}`, '127.0.0.1'],
      ] as const,
  ),
  ['svcrack', ['-b', '127.0.0.1', '-p', port, '-u', '100', '-r', '1-50', '127.0.0.1']],
]

it('the scanner that all others are made from finds nobody here [B12]', async ({ task }) => {
  using home = tempFolder()
  const before = await trunkline.metrics()
  const port = String(trunkline.sipPort)
  const said: string[] = []
  for (const [program, args] of programs(port)) {
    const how = { timeout: LIMIT_MS, env: { ...process.env, HOME: home.path } }
    const { stdout, stderr } = await run(program, [...args], how).catch((error: unknown) => {
      // Its exit code says that it found nothing; that it is missing says something else.
      const { code, stdout = '', stderr = '' } = error as { code: unknown } & Record<string, string>
      if (typeof code !== 'number') throw error
      return { stdout, stderr }
    })
    said.push(`${program} ${args.join(' ')}\n${stdout}${stderr}`)
  }
  const after = await trunkline.metrics()
  const ignored = (after['lab_scanners_ignored'] ?? 0) - (before['lab_scanners_ignored'] ?? 0)
  reportRow(task, 'B12', { 'runs of SIPVicious': said.length, ignored })
  expect(said.filter((text) => !text.includes('found nothing'))).toEqual([])
  expect(ignored).toBeGreaterThanOrEqual(said.length)
  const { body } = await trunkline.api('GET', '/Calls.json')
  expect(body['calls']).toEqual([])
  expect(app.sink.requests).toEqual([])
  expect(errorsIn(trunkline)).toEqual([])
})
