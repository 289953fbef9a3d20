import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { tempFolder } from '../support/process/temp-folder.js'
import { RegistryProcess } from '../support/registry/registry-process.js'

const GUIDE = new URL('../../docs/registry.md', import.meta.url)
const LIMIT_MS = 45_000

it('the walk through the life of a brand and a campaign runs as the guide has it', async () => {
  const [, script = ''] = /```sh\n([\s\S]*?)```/.exec(readFileSync(GUIDE, 'utf8')) ?? []
  using folder = tempFolder()
  await using registry = new RegistryProcess(join(folder.path, 'data'))
  await registry.start()
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    timeout: LIMIT_MS,
    env: {
      ...process.env,
      URL: registry.http,
      ADMIN: registry.admin,
      ADMIN_TOKEN: registry.operatorToken,
    },
  })
  expect(stdout).toContain('"phoneNumber":"+12025550199"')
  expect(stdout).toContain('"10035":"SUSPENDED"')
  for (const type of [
    'CAMPAIGN_ADD',
    'CAMPAIGN_DCA_COMPLETE',
    'MNO_CAMPAIGN_OPERATION_UNSUSPENDED',
  ])
    expect(stdout).toContain(`"eventType":"${type}"`)
})
