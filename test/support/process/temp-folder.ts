import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder; disposing removes it. */
export function tempFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'trunkline-'))
  return {
    path,
    [Symbol.dispose]: () => {
      rmSync(path, { recursive: true, force: true })
    },
  }
}
