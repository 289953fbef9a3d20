import { readFile } from 'node:fs/promises'
import { InvariantError } from '../errors.js'
import type { KeptFiles } from './kept-files.js'

/** Reads a file whose owner exists. Rejects with FileUnavailableError as `find` does. */
export async function readKept(files: KeptFiles, fileName: string): Promise<Buffer> {
  const path = await files.find(fileName)
  if (path === undefined) throw new InvariantError(`the file ${fileName} is missing`)
  return await readFile(path)
}
