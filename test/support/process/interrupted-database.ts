import type { Database } from '../../../src/platform/database/database.js'

/** A database that runs `first` before its next commit, when set. */
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
  // Everything else is inherited: a copy would evaluate getters once.
  return { next, db: Object.assign(Object.create(db) as Database, commits) }
}
