import { stat } from 'node:fs/promises'

/** Resolves with true when the path names a file. Rejects for errors other than absence. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}
