import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { tempFolder } from './temp-folder.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the statements that unit tests ran on the two engines. */
    readonly statements: string
  }
}

/**
 * Maximum number of statements without a PostgreSQL run: half of them are worded differently there, and a
 * recovery on slow machines may happen on one engine only.
 */
const MAY_MISS = 12
const PROJECTS = ['unit', 'unit-postgres']
/** Matches SQLite's own text search. */
const SQLITE_ONLY = /\browid\b|\binstr\(/

/**
 * Storage contract: after a complete run, every statement that unit tests ran on SQLite ran on PostgreSQL too.
 * `unit-postgres` repeats only the files that this requires.
 */
export default function setUp(project: TestProject): () => Promise<void> {
  const folder = tempFolder()
  project.provide('statements', folder.path)
  return async () => {
    try {
      if (await isWhole(project)) judge(statementsWithoutPostgres(folder.path))
    } finally {
      folder[Symbol.dispose]()
    }
  }
}

/** Statements in the folder that ran on SQLite but not on PostgreSQL. */
function statementsWithoutPostgres(folder: string): readonly string[] {
  const read = (engine: string) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(engine))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
  const onPostgres = new Set(read('postgres'))
  return [...new Set(read('sqlite'))]
    .filter((text) => !onPostgres.has(text) && !SQLITE_ONLY.test(text))
    .sort()
}

/** False for a run of selected files or tests, or of one engine only. */
async function isWhole({ vitest }: TestProject): Promise<boolean> {
  if (!PROJECTS.every((name) => vitest.projects.some((project) => project.name === name)))
    return false
  const files = await vitest.globTestSpecifications()
  const ran = vitest.state.getFiles().filter(isOfUnit).length
  const all = files.filter(({ project }) => PROJECTS.includes(project.name)).length
  return ran === all && vitest.config.testNamePattern === undefined
}

const isOfUnit = ({ projectName }: { readonly projectName?: string | undefined }): boolean =>
  PROJECTS.includes(projectName ?? '')

function judge(missing: readonly string[]): void {
  if (missing.length === 0) return
  const found = `${missing.length} statements ran on SQLite alone (vitest.config.ts says which tests run on PostgreSQL):`
  process.stderr.write(`${found}\n${missing.map((text) => `  ${text.slice(0, 400)}\n`).join('')}`)
  // An error here would leave the run's PostgreSQL server running.
  if (missing.length > MAY_MISS) process.exitCode = 1
}
