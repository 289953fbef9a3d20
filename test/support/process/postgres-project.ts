import { afterAll, inject } from 'vitest'
import { giveBackDatabases } from './test-database.js'

/** Runs before each test file of a project on PostgreSQL: without a server, each says why it fails. */
const server = inject('postgres')
if ('reason' in server) throw new Error(`these tests need PostgreSQL: ${server.reason}`)

afterAll(giveBackDatabases)
