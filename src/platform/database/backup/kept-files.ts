/**
 * The small files of a data folder that a backup stores beside the database, such as the vault key without
 * which the secrets in it are unreadable. Recordings and media are too many; operators copy them as files.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { flush, flushNames } from './copy-sqlite.js'

/** Folder of tables with which an operator replaces those of the registry. */
const TABLES_FOLDER = 'registry-tables'
/** Files of the database and of its lock. */
const NOT_KEPT = /^(trunkline\.db|owner\.)|~$|^\./
const MAX_BYTES = 4 * 1024 * 1024
const KEPT_TABLE = 'backup_files'

export interface KeptFile {
  /** Name relative to the data folder, with a slash after a folder. */
  readonly name: string
  readonly mode: number
  readonly content: Buffer
}

export function readKeptFiles(dataDir: string): readonly KeptFile[] {
  const names = filesIn(dataDir).filter((name) => !NOT_KEPT.test(name))
  const tables = filesIn(join(dataDir, TABLES_FOLDER)).map((name) => `${TABLES_FOLDER}/${name}`)
  return [...names, ...tables].flatMap((name) => {
    const { mode, size } = statSync(join(dataDir, name))
    if (size > MAX_BYTES) return []
    return [{ name, mode: mode & 0o777, content: readFileSync(join(dataDir, name)) }]
  })
}

/** Adds the files to a copy of the database. */
export function putKeptFiles(copy: Sqlite.Database, files: readonly KeptFile[]): void {
  copy.exec(
    `create table ${KEPT_TABLE} (name text primary key, mode integer not null, content blob not null)`,
  )
  const insert = copy.prepare(`insert into ${KEPT_TABLE} (name, mode, content) values (?, ?, ?)`)
  for (const { name, mode, content } of files) insert.run(name, mode, content)
}

/** Removes the files from a copy and returns them; a database copied by other means has none. */
export function takeKeptFiles(copy: Sqlite.Database): readonly KeptFile[] {
  const table = copy
    .prepare<[string]>("select 1 from sqlite_master where type = 'table' and name = ?")
    .get(KEPT_TABLE)
  if (table === undefined) return []
  const files = copy.prepare<[], KeptFile>(`select name, mode, content from ${KEPT_TABLE}`).all()
  copy.exec(`drop table ${KEPT_TABLE}`)
  // Skips names that `readKeptFiles` cannot have produced.
  return files.filter(({ name }) => /^(registry-tables\/)?[\w-][\w.-]*$/.test(name))
}

/**
 * Writes the files into the data folder. An existing file with other content is kept, renamed with `suffix`.
 * Returns the names of the files written.
 */
export function writeKeptFiles(
  dataDir: string,
  files: readonly KeptFile[],
  suffix: string,
): readonly string[] {
  return files.flatMap(({ name, mode, content }) => {
    const file = join(dataDir, name)
    if (existsSync(file)) {
      if (readFileSync(file).equals(content)) return []
      renameSync(file, `${file}${suffix}`)
    }
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, content, { mode })
    flush(file)
    flushNames(file)
    return [name]
  })
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
}
