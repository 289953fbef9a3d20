import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { tempFolder } from './temp-folder.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of what the unit tests ran on the two engines. */
    readonly statements: string
  }
}

/**
 * Statements that may be missing: half of them PostgreSQL is asked in words of its own, and a recovery that
 * only a slow machine needs may come on one engine alone.
 */
const MAY_MISS = 12
const PROJECTS = ['unit', 'unit-postgres']
/** How SQLite alone searches text. */
const SQLITE_ONLY = /\browid\b|\binstr\(/

/**
 * The storage contract: after a whole run, every statement that the unit tests ran on SQLite has run on
 * PostgreSQL too. `unit-postgres` repeats the files that this takes, and not all of them.
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

/** The statements in the folder that ran on SQLite and never on PostgreSQL. */
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

/** False for a run of some files or tests, or of one engine. */
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
  // An error here would leave the run's PostgreSQL server behind.
  if (missing.length > MAY_MISS) process.exitCode = 1
}
