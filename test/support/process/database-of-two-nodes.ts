import { openDatabase } from '../../../src/platform/database/open-database.js'
import { Disposer } from '../../../src/platform/disposer.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'
import { tempFolder } from './temp-folder.js'
import { testDatabase } from './test-database.js'

/** One database opened twice, as if by two processes. */
export async function twoNodes() {
  const disposer = new Disposer()
  const folder = disposer.use(tempFolder())
  const place = await testDatabase(folder.path)
  const [a, b] = await Promise.all([
    openDatabase(place, MIGRATIONS, 'a'),
    openDatabase(place, MIGRATIONS, 'b'),
  ])
  disposer.use(a)
  disposer.use(b)
  return { a, b, [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose]() }
}
