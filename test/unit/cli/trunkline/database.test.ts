import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { runCommand } from './run-command.js'

const URL = 'postgres://trunkline:hidden-word@127.0.0.1:1/calls'

describe('a database command with a mistake leaves nothing behind', () => {
  it.each([
    ['move, of no database', ['move', '--to', URL]],
    ['backup, of no database', ['backup', '/tmp/backup-of-nothing.db']],
    ['restore, of no backup', ['restore', '/tmp/no-such-backup.db']],
  ])('%s', async (_title, args) => {
    using folder = tempFolder()
    const { code, err, out } = await runCommand(['database', ...args], { DATA_DIR: folder.path })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^there is no (file|SQLite database) /)
    expect(readdirSync(folder.path)).toEqual([])
    expect(existsSync('/tmp/backup-of-nothing.db')).toBe(false)
  })

  it('restore, of no backup, makes no data folder', async () => {
    using folder = tempFolder()
    const dataDir = join(folder.path, 'data')
    const args = ['database', 'restore', join(folder.path, 'none.db')]
    expect((await runCommand(args, { DATA_DIR: dataDir })).code).toBe(1)
    expect(existsSync(dataDir)).toBe(false)
  })

  it.each([
    ['no target', [], 'where to? Give --to, or set DATABASE_URL'],
    ['a URL without a database', ['--to', 'postgres://u:hidden-word@h/'], '--to needs a user'],
    ['another kind of URL', ['--to', 'mysql://u:hidden-word@h/x'], '--to must be postgres://'],
    ['an unknown parameter', ['--to', `${URL}?pool=3`], '--to has the unknown parameter pool'],
  ])('move, with %s, and does not show the password', async (_title, args, reason) => {
    using folder = tempFolder()
    const { code, err } = await runCommand(['database', 'move', ...args], {
      DATA_DIR: folder.path,
    })
    expect(code).toBe(2)
    expect(err).toContain(reason)
    expect(err).not.toContain('hidden-word')
  })
})
