import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { openVault } from '../../../../src/platform/secrets.js'
import { checkVaultKey } from '../../../../src/platform/vault-key/check-vault-key.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase, testDatabase } from '../../../support/process/test-database.js'

it('a server with another key is refused, and those with the first one are not', async () => {
  using folder = tempFolder()
  await using db = await openTestDatabase(folder.path, 'a')
  const keyFile = (name: string) => join(folder.path, name)
  const first = openVault(keyFile('first.key'))
  await checkVaultKey(db, first, keyFile('first.key'))
  await checkVaultKey(db, openVault(keyFile('first.key')), keyFile('first.key'))
  const other = openVault(keyFile('other.key'))
  await expect(checkVaultKey(db, other, keyFile('other.key'))).rejects.toThrow(
    `sealed with another key than ${keyFile('other.key')}`,
  )
  await checkVaultKey(db, first, keyFile('first.key'))
})

it('of two servers that start at once with keys of their own, one is refused', async () => {
  using folder = tempFolder()
  const place = await testDatabase(folder.path)
  await using a = await openDatabase(place, MIGRATIONS, 'a')
  await using b = await openDatabase(place, MIGRATIONS, 'b')
  const outcomes = await Promise.allSettled(
    [a, b].map((db) => {
      const file = join(folder.path, `${db.node}.key`)
      return checkVaultKey(db, openVault(file), file)
    }),
  )
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})
