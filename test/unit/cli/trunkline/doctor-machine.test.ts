import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkMachine } from '../../../../src/cli/trunkline/doctor/check-machine.js'
import { readConfig } from '../../../../src/config.js'
import { tempFolder } from '../../../support/process/temp-folder.js'

/** What is found of the data folder. */
async function examine(folder: string) {
  const env = { DATA_DIR: folder }
  const config = readConfig(env)
  const found = await checkMachine({ config, env, flags: {}, url: '', readiness: undefined })
  return found.find(({ subject }) => subject === 'data folder')
}

it('a data folder that others may read is shown with what they may read in it', async () => {
  using temp = tempFolder()
  const folder = join(temp.path, 'data')
  mkdirSync(folder)
  for (const [name, mode] of [
    ['vault.key', 0o600],
    ['trunkline.db', 0o644],
  ] as const) {
    writeFileSync(join(folder, name), '')
    chmodSync(join(folder, name), mode)
  }
  chmodSync(folder, 0o755)
  expect(await examine(folder)).toMatchObject({
    level: 'warn',
    text: `${folder} is open to other users, and so are trunkline.db`,
    advice: `chmod -R go-rwx ${folder}`,
  })
  chmodSync(join(folder, 'trunkline.db'), 0o600)
  expect(await examine(folder)).toMatchObject({ text: `${folder} is open to other users` })
  chmodSync(folder, 0o700)
  expect(await examine(folder)).toMatchObject({ level: 'ok' })
})
