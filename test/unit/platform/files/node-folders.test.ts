import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { createNodeFolders } from '../../../../src/platform/files/node-folders.js'
import { createLogger } from '../../../../src/platform/log.js'
import { tempFolder } from '../../../support/process/temp-folder.js'

const HOUR_S = 3_600

/** The folder of a node; `owners` are those that the database has. */
function open(folder: string, owners: Set<string>) {
  const folders = createNodeFolders({ clock: systemClock, log: createLogger('silent') })
  const files = folders.keep({
    name: 'recordings',
    folder,
    mimeType: 'audio/x-wav',
    ownerOf: (name) => /^(RE\d)\./.exec(name)?.[1],
    existing: (asked) => Promise.resolve(asked.filter((owner) => owners.has(owner))),
    isWhole: (name) => name.endsWith('.wav'),
  })
  return { folders, files }
}

it('a file whose owner another node has deleted is gone, and no other', async () => {
  using folder = tempFolder()
  const owners = new Set(['RE1', 'RE2'])
  const { folders, files } = open(folder.path, owners)
  await using _owned = folders
  const before = systemClock.now() / 1_000 - HOUR_S
  for (const name of ['RE1.wav', 'RE1.mp3', 'RE2.wav', 'README']) {
    writeFileSync(join(folder.path, name), 'sound')
    utimesSync(join(folder.path, name), before, before)
  }
  await folders.sweep()
  expect(readdirSync(folder.path)).toHaveLength(4)
  owners.delete('RE1')
  await folders.sweep()
  expect(readdirSync(folder.path).sort()).toEqual(['RE2.wav', 'README'])
  expect(await files.find('RE1.wav')).toBeUndefined()
  expect(await files.find('RE2.wav')).toBe(join(folder.path, 'RE2.wav'))
})

it('a file whose row may still come stays', async () => {
  using folder = tempFolder()
  const { folders } = open(folder.path, new Set())
  await using _owned = folders
  writeFileSync(join(folder.path, 'RE3.wav'), 'sound')
  await folders.sweep()
  expect(readdirSync(folder.path)).toEqual(['RE3.wav'])
})
