import { createFolderFiles } from '../../../src/platform/files/folder-files.js'
import type { FileKind } from '../../../src/platform/files/kept-files.js'
import { createOutbound } from '../../../src/platform/http/outbound.js'
import { createLogger } from '../../../src/platform/log.js'
import { Outbox } from '../../../src/platform/outbox/outbox.js'
import { openVault } from '../../../src/platform/secrets.js'
import { loadTables } from '../../../src/registry/data/tables.js'
import { createEventChannel } from '../../../src/registry/events/event-channel.js'
import { Core } from '../../../src/registry/model/core.js'
import type { RegistryOperation as Operation } from '../../../src/registry/routes/dialect/operation.js'
import { registryOperations } from '../../../src/registry/routes/registry-api.js'
import { createServices } from '../../../src/registry/services/create-services.js'
import { routesCell } from '../http/operations-table.js'
import { tempFolder } from '../process/temp-folder.js'
import { openTestDatabase } from '../process/test-database.js'
import { testOf } from './operation-tests.js'

/** All operations of the registry API, for tests that read declarations only: its database is closed. */
export async function describedOperations(): Promise<readonly Operation[]> {
  using folder = tempFolder()
  const clock = { now: () => 0, monotonic: () => 0 }
  const log = createLogger('silent')
  await using db = await openTestDatabase(folder.path)
  const policy = { mode: 'public-only', allow: [] } as const
  await using outbound = createOutbound({ policy, clock, log })
  const vault = openVault(`${folder.path}/key`)
  await using outbox = new Outbox({ db, clock, random: Math.random, log })
  const events = outbox.open(createEventChannel({ db, vault, clock, outbound, signatures: [] }))
  const ledger = { post: () => Promise.resolve(true) }
  const core = new Core(
    { db, vault, clock, log, ledger, events, tables: loadTables(undefined), upstream: undefined },
    { wake: () => undefined },
  )
  const keepFiles = (kind: FileKind) => createFolderFiles(kind, log)
  const services = createServices(core, {
    folder: folder.path,
    keepFiles,
    outbound,
    signatures: [],
  })
  return registryOperations(core, services, '0.0.0')
}

/** Rows of the specification's tables "Operations with a known path" and "… by function only". */
export const SPECIFIED_ROWS = [
  'Re-vet brand',
  'Resubmit campaign to MNOs',
  'List campaign MMS sample files',
  'Campaign operational status',
  'Nudge intents list',
  'Subscribe to webhook',
  'List brands',
  'Get brand',
  'Register brand',
  'Update brand',
  'Brand feedback',
  'Brand OTP status',
  'Get platform-free-trial brand',
  'Create campaign',
  'Deactivate campaign',
  'MNOs excluding a campaign',
  'Add MMS sample file',
  'MNOs with elected DCA',
  'Campaign MNO metadata',
  'Nudge',
  'Registry attributes',
  'Campaign phone numbers',
  'Sharing status',
  'Shared campaign operational status, per MNO',
  'List / add supporting documents',
  'Download / delete attachment',
  'Search resellers',
  'Create reseller',
  'Get / update / delete reseller',
  'List tags',
  'Create tag',
  'Delete tag',
  'Get / update CSP profile',
  'Get / update CNP migration settings',
  'List webhook event categories',
  'List event types',
  'Send mock event',
  'Unsubscribe',
] as const

/** Returns docs/registry-operations.md: the rows of the specification, then further operations. */
export function operationsDocument(operations: readonly Operation[]): string {
  const specified = SPECIFIED_ROWS.flatMap((row) =>
    operations.filter((each) => each.row === row).map((each) => `| ${row} ${cells(each)}`),
  )
  const further = operations
    .filter(({ row }) => row === undefined)
    .map((each) => `| ${each.id} ${cells(each)}`)
  return `# Operations of the registry API

All paths are below \`/v2/csp\`. What each takes and answers: \`/openapi.json\`. This page is generated
from the operations that the server mounts; its test fails when it is not current
(\`npx vitest run test/unit/registry/operations-document.test.ts -u\` writes it anew). Tests are below
\`test/unit/registry\`.

## Rows of the specification

| Row | Route | Test |
|---|---|---|
${specified.join('\n')}

## What clients call beyond it

| Operation | Route | Test |
|---|---|---|
${further.join('\n')}
`
}

function cells(operation: Operation): string {
  return `| ${routesCell(operation)} | ${testOf(operation.id) ?? ''} |`
}
