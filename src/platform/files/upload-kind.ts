import type { FileKind } from './kept-files.js'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Files that are named by the id of their row, and by nothing else. */
export function uploadKind(name: string, folder: string, existing: FileKind['existing']): FileKind {
  return {
    name,
    folder,
    mimeType: 'application/octet-stream',
    ownerOf: (fileName) => (UUID.test(fileName) ? fileName : undefined),
    existing,
    isWhole: (fileName) => UUID.test(fileName),
  }
}
