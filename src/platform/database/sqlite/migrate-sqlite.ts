import type Sqlite from 'better-sqlite3'
import { type CountedRows, type Ddl, type Migration, quoted } from '../migration.js'
import { pendingMigrations, SchemaMismatchError } from '../pending-migrations.js'

/** Data definition for SQLite. */
const sqliteDdl: Omit<Ddl, 'namesAsFields'> = {
  serial: 'integer primary key',
  byKey: ' without rowid',
  countRows: (counted) => {
    const { table, counts, movedBy } = counted
    const moved =
      movedBy === undefined
        ? ''
        : `create trigger ${counts}_moved after update of ${quoted(movedBy)} on ${table}
when old.${quoted(movedBy)} <> new.${quoted(movedBy)} begin
  ${countedDown(counted)}
  ${countedUp(counted)}
end;
`
    return `create trigger ${counts}_added after insert on ${table} begin
  ${countedUp(counted)}
end;
create trigger ${counts}_removed after delete on ${table} begin
  ${countedDown(counted)}
end;
${moved}`
  },
  jsonText: (column, ...path) => `json_extract(${column}, '$.${path.join('.')}')`,
  // FTS5, https://www.sqlite.org/fts5.html#the_trigram_tokenizer: without content, so that a row
  // leaves the index only by the 'delete' command with its old text.
  trigramIndex: ({ name, table, column: unquoted }) => {
    const column = quoted(unquoted)
    const removed = `insert into ${name} (${name}, rowid, ${column})
  values ('delete', old.id, old.${column});`
    const added = `insert into ${name} (rowid, ${column}) values (new.id, new.${column});`
    return `create virtual table ${name} using fts5(${column}, content='', tokenize='trigram');
create trigger ${name}_added after insert on ${table} begin
  ${added}
end;
create trigger ${name}_removed after delete on ${table} begin
  ${removed}
end;
create trigger ${name}_changed after update of ${column} on ${table}
when old.${column} <> new.${column} begin
  ${removed}
  ${added}
end;
`
  },
}

/**
 * Brings the file up to date: it runs each migration that the file does not have yet, in order, in
 * one transaction. Throws a `SchemaMismatchError` when these migrations did not make the file.
 */
export function migrateSqlite(connection: Sqlite.Database, migrations: readonly Migration[]): void {
  connection
    .transaction(() => {
      const pending = pendingMigrations(migrations, appliedTo(connection), connection.name)
      const ddl = { ...sqliteDdl, namesAsFields: () => namesAsFields(connection) }
      const remember = connection.prepare('insert into schema_migrations (name) values (?)')
      for (const { name, statements } of pending) {
        connection.exec(statements(ddl))
        remember.run(name)
      }
    })
    .immediate()
}

/** SQLite renames a column in the indexes and triggers of its table too. */
function namesAsFields(connection: Sqlite.Database): string {
  const columns = connection.prepare<[], { table: string; column: string }>(
    `select l.name as "table", c.name as "column"
from pragma_table_list as l, pragma_table_xinfo(l.name) as c
where l.schema = 'main' and l.type = 'table' and l.name not like 'sqlite%' and instr(c.name, '_')`,
  )
  return columns
    .all()
    .map(({ table, column }) => {
      const field = column.replace(/_(\w)/g, (_, first: string) => first.toUpperCase())
      return `alter table ${table} rename column ${column} to ${quoted(field)};`
    })
    .join('\n')
}

function countedUp({ counts, column, groups }: CountedRows): string {
  const columns = Object.keys(groups).map(quoted)
  const values = Object.values(groups).map((of) => of('new'))
  return `insert into ${counts} (${[...columns, column].join(', ')})
  values (${[...values, '1'].join(', ')})
  on conflict (${columns.join(', ')}) do update set ${column} = ${counts}.${column} + 1;`
}

function countedDown({ counts, column, groups }: CountedRows): string {
  const isGroup = Object.entries(groups).map(([name, of]) => `${quoted(name)} = ${of('old')}`)
  return `update ${counts} set ${column} = ${column} - 1 where ${isGroup.join(' and ')};`
}

function appliedTo(connection: Sqlite.Database): ReadonlySet<string> {
  const tables = namesIn(connection, "select name from sqlite_master where type = 'table'")
  if (tables.has('schema_migrations'))
    return namesIn(connection, 'select name from schema_migrations')
  if (tables.size > 0)
    throw new SchemaMismatchError(
      `${connection.name} was written by a build of trunkline from before its first release, whose ` +
        'data cannot be taken over: move the data folder (DATA_DIR) away and start with an empty one',
    )
  connection.exec('create table schema_migrations (name text primary key not null)')
  return new Set()
}

function namesIn(connection: Sqlite.Database, query: string): ReadonlySet<string> {
  return new Set(connection.prepare<[], string>(query).pluck().all())
}
