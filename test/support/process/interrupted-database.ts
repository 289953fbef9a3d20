import type { Database } from '../../../src/platform/database/database.js'

/** A database that does `first` before its next commit, once that is set. */
export function interrupted(db: Database) {
  const next: { first: (() => Promise<unknown>) | undefined } = { first: undefined }
  const interrupt = async () => {
    const { first } = next
    next.first = undefined
    await first?.()
  }
  const commits: Pick<Database, 'write' | 'inOneCommit'> = {
    write: async (...work) => {
      await interrupt()
      return await db.write(...work)
    },
    inOneCommit: async (work) => {
      await interrupt()
      return await db.inOneCommit(work)
    },
  }
  // The rest of it is inherited: to copy it would read its getters once.
  return { next, db: Object.assign(Object.create(db) as Database, commits) }
}
