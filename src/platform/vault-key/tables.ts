import type { Migration } from '../database/migration.js'

declare module '../database/tables.js' {
  interface Tables {
    vault_keys: VaultKeysTable
  }
}

/** One row: proof of the key that sealed the secrets of this database. */
export interface VaultKeysTable {
  id: number
  /** A known text, sealed with the key. */
  sealed: string
}

export const vaultKeysBaseline: Migration = {
  name: 'vault-keys/1-baseline',
  statements: ({ byKey }) => `
create table vault_keys (
  id integer primary key,
  sealed text not null
)${byKey};
`,
}
