import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { freePort } from '../../../support/process/free-port.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { testDatabase } from '../../../support/process/test-database.js'
import { runCommand } from './run-command.js'

interface Found {
  readonly level: string
  readonly subject: string
  readonly text: string
  readonly advice?: string
}

const SUBJECTS = ['database', 'transactions', 'connections', 'database clock', 'privileges']
const ROLE = `doctor_${process.pid}`

const folder = tempFolder()
let url: string
let operator: pg.Client

beforeAll(async () => {
  url = await testDatabase(folder.path)
  const server = inject('postgres')
  if ('reason' in server) throw new Error(server.reason)
  operator = new pg.Client({ connectionString: server.url })
  await operator.connect()
  await operator.query(`create role ${ROLE} login`)
})
afterAll(async () => {
  await operator.query(`drop owned by ${ROLE}`)
  await operator.query(`drop role ${ROLE}`)
  await operator.end()
  folder[Symbol.dispose]()
})

/** The findings about the database that this URL names. */
async function examine(place: string): Promise<readonly Found[]> {
  const { out } = await runCommand(['doctor', '--json'], {
    ...{ DATABASE_URL: place, DATA_DIR: folder.path },
    ...{ HTTP_PORT: String(await freePort()), ADMIN_PORT: String(await freePort()) },
  })
  const all = out.split('\n').map((line) => JSON.parse(line) as Found)
  return all.filter(({ subject }) => SUBJECTS.includes(subject))
}

function changed(change: (place: URL) => void): string {
  const place = new URL(url)
  change(place)
  return place.href
}

describe('the doctor of a server that keeps its data in PostgreSQL', () => {
  it('says in one line each how fit the database is', async () => {
    const found = await examine(url)
    expect(found.map(({ level, subject }) => `${level} ${subject}`)).toEqual(
      SUBJECTS.map((subject) => `ok ${subject}`),
    )
    const [database, transactions, connections, clock, privileges] = found.map(({ text }) => text)
    expect(database).toMatch(
      /^PostgreSQL \d+\.\d+.* as trunkline@127\.0\.0\.1:\d+\/\w+, in plain text, answers in \d+ ms$/,
    )
    expect(transactions).toBe('serializable, synchronous_commit is on')
    expect(connections).toMatch(/^\d+ left of 200; a server takes up to 20$/)
    // The time of the query counts as well: it is long on a busy machine.
    expect(clock).toMatch(/^\d\.\d s (behind|ahead of) the clock here$/)
    expect(privileges).toContain('may make tables in the schema public')
  })

  it('shows no password', async () => {
    const secret = 'geheim-4711'
    const place = changed((each) => {
      each.password = secret
    })
    expect(JSON.stringify(await examine(place))).not.toContain(secret)
  })

  it.each([
    [
      'a server that is not there',
      async (place: URL) => {
        place.port = String(await freePort())
      },
      /ECONNREFUSED/,
      /start the server/,
    ],
    [
      'a database that does not exist',
      (place: URL) => {
        place.pathname = 'nothing'
        return Promise.resolve()
      },
      /database "nothing" does not exist/,
      /createdb/,
    ],
    [
      'a user that does not exist',
      (place: URL) => {
        place.username = 'nobody_knows'
        return Promise.resolve()
      },
      /role "nobody_knows" does not exist/,
      /pg_hba/,
    ],
  ])('names %s', async (_what, change, text, advice) => {
    const place = new URL(url)
    await change(place)
    const [found, ...others] = await examine(place.href)
    expect(others).toEqual([])
    expect(found).toMatchObject({ level: 'fail', subject: 'database' })
    expect(found?.text).toMatch(text)
    expect(found?.advice).toMatch(advice)
  })

  it('warns of connections that are too few, and of a user without rights', async () => {
    await operator.query(`alter role ${ROLE} connection limit 3`)
    await operator.query(`alter role ${ROLE} set synchronous_commit = off`)
    const found = await examine(
      changed((place) => {
        place.username = ROLE
      }),
    )
    expect(found.map(({ level, subject }) => `${level} ${subject}`)).toEqual([
      'ok database',
      'warn transactions',
      'warn connections',
      'ok database clock',
      'fail privileges',
    ])
    expect(found[2]?.text).toMatch(/^2 left of 200/)
    expect(found[4]?.advice).toContain('owner')
  })

  it('names tables of another program, and a server that takes no writes', async () => {
    await operator.query(`create database ${ROLE}`)
    const theirs = changed((place) => {
      place.pathname = ROLE
    })
    const client = new pg.Client({ connectionString: theirs })
    await client.connect()
    await client.query('create table theirs (name text)')
    await client.query(`alter database ${ROLE} set default_transaction_read_only = on`)
    await client.end()
    const found = await examine(theirs)
    await operator.query(`drop database ${ROLE} with (force)`)
    expect(found[0]).toMatchObject({ level: 'fail', subject: 'database' })
    expect(found[0]?.text).toContain('tables of another program')
    expect(found[1]).toMatchObject({ level: 'fail', subject: 'transactions' })
    expect(found[1]?.text).toContain('read-only')
  })
})
