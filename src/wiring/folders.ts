/** The folders that settings name. */
import { accessSync, constants, mkdirSync } from 'node:fs'
import { ConfigError } from '../config.js'

/** What each refusal of the operating system means for whoever chose the folder. */
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file in its place',
  ENOTDIR: 'there is a file in its path',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'nothing can be written there',
}

/** Makes a folder, unless it is there. Throws a `ConfigError` that names the setting. */
export function makeFolder(setting: string, folder: string, mode = 0o777): void {
  try {
    mkdirSync(folder, { recursive: true, mode })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const reason = REASONS[code]
    if (reason === undefined) throw error
    const text = `${setting}: ${folder} cannot be a folder of this server: ${reason} (${code})`
    throw new ConfigError(text, { cause: error })
  }
}
