import { defineConfig } from 'vitest/config'
import { LongFilesFirst } from './test/support/process/long-files-first.js'

const E2E = 'test/e2e/**/*.test.ts'
/** Files that load the machine or measure it closely: each runs alone. */
const ALONE = [
  'burst',
  'dial-recordings',
  'digits',
  'kill',
  'machine-detection',
  'overload',
  'rtp-theft',
  'streams',
].map((name) => `test/e2e/${name}.e2e.test.ts`)

/** About PostgreSQL itself, and nodes that share it: on no other engine. */
const POSTGRES_E2E = [
  'postgres-dump',
  'database-move',
  'two-nodes-calls',
  'two-nodes-files',
  'two-nodes-media',
  'two-servers',
].map((name) => `test/e2e/${name}.e2e.test.ts`)
const POSTGRES_ALONE = ['test/e2e/postgres-lost.e2e.test.ts']

/**
 * Unit tests that need PostgreSQL: of the doctor's look at it, of moves between the engines, and of
 * nodes that share a database.
 */
const POSTGRES_ONLY = [
  'test/unit/voice/events/events-of-two-nodes.test.ts',
  'test/unit/cli/trunkline/doctor-postgres.test.ts',
  'test/unit/voice/telephony/drained-servers-of-nodes.test.ts',
  'test/unit/platform/database/moving/**/*.test.ts',
  'test/unit/platform/nodes/node-requests.test.ts',
]

/**
 * Half of a run's time went into loading the same modules for each file: the files of one process share
 * them. What a test replaces is put back after it.
 */
const sharedModules = {
  isolate: false,
  restoreMocks: true,
  unstubEnvs: true,
  unstubGlobals: true,
}

/** Calls take real time, on a machine that has other work as well. */
const e2e = {
  testTimeout: 120_000,
  hookTimeout: 90_000,
  expect: { poll: { timeout: 20_000 } },
  setupFiles: ['test/support/process/failed-test-setup.ts'],
  ...sharedModules,
}

/**
 * A wait that is too short fails on a busy machine, and a long one costs nothing when it passes: the
 * limits of a poll and of hooks would be 1 and 10 seconds without these.
 */
const unit = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 15_000 } },
  ...sharedModules,
  setupFiles: ['test/support/process/unit-project.ts'],
}

/** Runs files beside each other, group after group. With two of them, half of two cores waits. */
const beside = (groupOrder: number, maxWorkers = 3) => ({ maxWorkers, sequence: { groupOrder } })
/** Calls wait more than they compute: this many files of e2e share two cores. */
const E2E_AT_ONCE = 4
/** Runs one file at a time. */
export const alone = (groupOrder: number) => ({ maxWorkers: 1, sequence: { groupOrder } })

/** The projects that keep their data in SQLite. */
export const SQLITE_PROJECTS = [
  {
    name: 'unit',
    include: ['test/unit/**/*.test.ts'],
    exclude: POSTGRES_ONLY,
    ...unit,
    ...beside(1),
  },
  {
    name: 'contract',
    include: ['test/contract/**/*.test.ts'],
    ...unit,
    ...beside(1),
  },
  {
    name: 'e2e',
    include: [E2E],
    exclude: [...ALONE, ...POSTGRES_E2E, ...POSTGRES_ALONE],
    ...e2e,
    ...beside(2, E2E_AT_ONCE),
  },
  { name: 'e2e-alone', include: ALONE, ...e2e, ...alone(3) },
]

/** What the projects on PostgreSQL share: each test has a database of the run's own server. */
const postgres = {
  env: { TEST_DATABASE: 'postgres' },
  setupFiles: ['test/support/process/postgres-project.ts'],
}
/** End-to-end tests on PostgreSQL. */
const postgresE2e = {
  ...e2e,
  ...postgres,
  setupFiles: [...e2e.setupFiles, ...postgres.setupFiles],
}

/** Unit tests that open a database, by folder. */
const STORED = [
  ...[
    'account-api',
    'accounts',
    'admin',
    'lookups',
    'messages',
    'numbers',
    'porting',
    'registry',
    'platform/api',
    'platform/idempotency',
  ],
  ...[
    'platform/nodes',
    'platform/outbox',
    'voice/api',
    'voice/calls',
    'voice/conferences',
    'voice/events',
    'voice/refused-calls',
    'voice/registrar',
  ],
  ...['voice/caller-ids', 'voice/queues', 'voice/recordings', 'voice/streams'],
  ...['ledger', 'rating'],
]
  .map((folder) => `test/unit/${folder}/**/*.test.ts`)
  .concat(
    'test/unit/platform/database/{two-*,former-databases}.test.ts',
    'test/unit/platform/files/**/*.test.ts',
  )
  .concat('test/unit/voice/telephony/drained-servers.test.ts')
  .concat('test/unit/voice/carriers/carrier-claims.test.ts')
/**
 * These read the query plans of SQLite, open no database, or are about what is asked and answered: what
 * they store is stored by others of `STORED` too, which the run itself checks (`statements-setup.ts`).
 */
const SQLITE_ONLY = [
  'account-api/{contract,enumeration,message-routes,messaging,messaging-campaigns}',
  'accounts/passwords',
  'admin/fuzz-by-schema',
  'messages/{http-carrier,list-plans,smpp/codec,smpp/smpp-link}',
  'platform/outbox/due-plan',
  'registry/{campaign-lives,enumerations,error-codes,fuzz-by-schema,list-plans,sending,upstream}',
  'voice/api/{calls-api,fuzz-by-schema,idempotency,openapi,participants-api,recording-media}',
  'voice/calls/{inside-calls,long-dials,actor/detect-machine}',
  'voice/calls/admission/{concurrency-limit,on-net-calls,trunk-calls}',
  'voice/recordings/full-disk',
  'voice/streams/socket/customer-socket',
].map((name) => `test/unit/${name}.test.ts`)

/**
 * Processes that are killed with rows half written, and archives of a day, which are built beside live
 * calls. The rest of what they store is in `STORED`.
 */
const STORED_E2E = [
  'billing-kill',
  'exports',
  'export-kill',
  'kill-ringing',
  'number-provider-kill',
  'port-kill',
  'registrar-kill',
].map((name) => `test/e2e/${name}.e2e.test.ts`)
const STORED_ALONE = ['test/e2e/kill.e2e.test.ts', ...POSTGRES_ALONE]

const POSTGRES_PROJECTS = [
  {
    name: 'unit-postgres',
    include: [...STORED, ...POSTGRES_ONLY],
    exclude: SQLITE_ONLY,
    ...unit,
    ...postgres,
    setupFiles: [...unit.setupFiles, ...postgres.setupFiles],
    ...beside(4),
  },
  {
    name: 'e2e-postgres',
    include: [...STORED_E2E, ...POSTGRES_E2E],
    ...postgresE2e,
    ...beside(5, E2E_AT_ONCE),
  },
  { name: 'e2e-alone-postgres', include: STORED_ALONE, ...postgresE2e, ...alone(6) },
]

export default defineConfig({
  test: {
    globalSetup: ['memory', 'sqlite', 'postgres', 'statements', 'servers'].map(
      (what) => `test/support/process/${what}-setup.ts`,
    ),
    sequence: { sequencer: LongFilesFirst },
    projects: [...SQLITE_PROJECTS, ...POSTGRES_PROJECTS].map((test) => ({ test })),
  },
})
