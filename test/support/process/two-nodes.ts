import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Disposer } from '../../../src/platform/disposer.js'
import { tempFolder } from './temp-folder.js'
import { testDatabase } from './test-database.js'
import { type RunningTrunkline, startTrunkline } from './trunkline.js'

export interface TwoNodes extends AsyncDisposable {
  readonly a: RunningTrunkline
  readonly b: RunningTrunkline
}

/**
 * Starts two servers with separate folders on one PostgreSQL database, with one account and one vault key, as
 * docs/storage.md describes.
 */
export async function startTwoNodes(
  settings: Readonly<Record<string, string>> = {},
): Promise<TwoNodes> {
  const disposer = new Disposer()
  const folder = disposer.use(tempFolder())
  const shared = { ...settings, DATABASE_URL: await testDatabase(folder.path) }
  const a = disposer.use(await startTrunkline({ ...shared, NODE_ID: 'a' }))
  const dataDir = join(folder.path, 'b')
  mkdirSync(dataDir)
  copyFileSync(join(a.folder, 'data', 'vault.key'), join(dataDir, 'vault.key'))
  const b = disposer.use(
    await startTrunkline({
      ...shared,
      NODE_ID: 'b',
      DATA_DIR: dataDir,
      FIRST_ACCOUNT_SID: a.account.sid,
      FIRST_ACCOUNT_TOKEN: a.account.secret,
    }),
  )
  return { a, b, [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose]() }
}
