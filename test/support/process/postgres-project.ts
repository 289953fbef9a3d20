import { afterAll, inject } from 'vitest'
import { giveBackDatabases } from './test-database.js'

/** Runs before each test file of a PostgreSQL project: without a server, each file fails with the reason. */
const server = inject('postgres')
if ('reason' in server) throw new Error(`these tests need PostgreSQL: ${server.reason}`)

afterAll(giveBackDatabases)
