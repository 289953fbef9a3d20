import { readFile } from 'node:fs/promises'
import { InvariantError } from '../errors.js'
import type { KeptFiles } from './kept-files.js'

/** Reads a file whose owner exists. Rejects with FileUnavailableError as `find` does. */
export async function readKept(files: KeptFiles, fileName: string): Promise<Buffer> {
  const bytes = await readIfKept(files, fileName)
  if (bytes === undefined) throw new InvariantError(`the file ${fileName} is missing`)
  return bytes
}

/** Reads a file that may be missing, which gives undefined. Rejects as `readKept` does. */
export async function readIfKept(files: KeptFiles, fileName: string): Promise<Buffer | undefined> {
  const path = await files.find(fileName)
  return path === undefined ? undefined : await readFile(path)
}
