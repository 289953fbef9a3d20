import type { CountedRows, Ddl } from '../migration.js'

/** Data definition for SQLite. */
export const sqliteDdl: Ddl = {
  serial: 'integer primary key',
  byKey: ' without rowid',
  countRows: (counted) => {
    const { table, counts, movedBy } = counted
    const moved =
      movedBy === undefined
        ? ''
        : `create trigger ${counts}_moved after update of ${movedBy} on ${table}
when old.${movedBy} <> new.${movedBy} begin
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
  trigramIndex: ({ name, table, column }) => {
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

function countedUp({ counts, column, groups }: CountedRows): string {
  const columns = Object.keys(groups)
  const values = Object.values(groups).map((of) => of('new'))
  return `insert into ${counts} (${[...columns, column].join(', ')})
  values (${[...values, '1'].join(', ')})
  on conflict (${columns.join(', ')}) do update set ${column} = ${counts}.${column} + 1;`
}

function countedDown({ counts, column, groups }: CountedRows): string {
  const isGroup = Object.entries(groups).map(([name, of]) => `${name} = ${of('old')}`)
  return `update ${counts} set ${column} = ${column} - 1 where ${isGroup.join(' and ')};`
}
