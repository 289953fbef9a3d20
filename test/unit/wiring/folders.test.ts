import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../../src/config.js'
import { makeFolder } from '../../../src/wiring/base.js'
import { checkLabFolder } from '../../../src/wiring/lab.js'
import { tempFolder } from '../../support/process/temp-folder.js'

it('a folder that a setting names is made, and may be there', () => {
  using folder = tempFolder()
  const path = join(folder.path, 'a/b')
  makeFolder('DATA_DIR', path)
  makeFolder('DATA_DIR', path)
  expect(existsSync(path)).toBe(true)
})

it.each([
  ['', 'there is a file in its place (EEXIST)'],
  ['/below', 'there is a file in its path (ENOTDIR)'],
])('a file%s is no folder, and the setting is named', (below, reason) => {
  using folder = tempFolder()
  const file = join(folder.path, 'file')
  writeFileSync(file, '')
  const text = `${file}${below} cannot be a folder of this server: ${reason}`
  expect(() => {
    makeFolder('DATA_DIR', `${file}${below}`)
  }).toThrow(new ConfigError(`DATA_DIR: ${text}`))
  const config = readConfig({ LAB_RECORDINGS_DIR: `${file}${below}` })
  expect(() => {
    checkLabFolder(config)
  }).toThrow(new ConfigError(`LAB_RECORDINGS_DIR: ${text}`))
})
