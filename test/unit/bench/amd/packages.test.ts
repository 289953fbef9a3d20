import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PackageMissingError, unpacked } from '../../../bench/amd/packages.js'
import { tempFolder } from '../../../support/process/temp-folder.js'

/** Fetches a package of one file, as apt-get does: bit by bit. `meanwhile` runs before the file is there. */
function fetching(meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  return async (name: string, work: string): Promise<string> => {
    const files = join(work, 'files')
    mkdirSync(files)
    await meanwhile()
    writeFileSync(join(files, 'sound.wav'), name)
    return files
  }
}

describe('a package that the cache lacks', () => {
  it('is unpacked by two runs at once, and each has it', async () => {
    using cache = tempFolder()
    const second = () => unpacked('sounds', cache.path, fetching())
    const folder = await unpacked('sounds', cache.path, fetching(second))
    expect(await second()).toBe(folder)
    expect(readFileSync(join(folder, 'sound.wav'), 'utf8')).toBe('sounds')
    // Nothing of either run is left beside it.
    expect(readdirSync(join(cache.path, 'packages'))).toEqual(['sounds'])
  })

  it('that cannot be fetched leaves nothing behind', async () => {
    using cache = tempFolder()
    const away = fetching(() => Promise.reject(new Error('no network')))
    await expect(unpacked('sounds', cache.path, away)).rejects.toBeInstanceOf(PackageMissingError)
    expect(readdirSync(join(cache.path, 'packages'))).toEqual([])
  })
})
