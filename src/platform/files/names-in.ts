import { readdir } from 'node:fs/promises'

/** Resolves with the names in a folder; none when the folder does not exist yet. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
