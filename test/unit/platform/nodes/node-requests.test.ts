/** Two nodes share a database, which an SQLite database never is: these run on PostgreSQL. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { reasonOf } from '../../../../src/platform/async/abort.js'
import { deferred } from '../../../../src/platform/async/deferred.js'
import { type Clock, systemClock } from '../../../../src/platform/clock.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { Disposer } from '../../../../src/platform/disposer.js'
import {
  type HandlingLimits,
  NodeRequests,
  NodeUnavailableError,
  TooManyAskedError,
} from '../../../../src/platform/nodes/node-requests.js'
import { openVault } from '../../../../src/platform/secrets.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { recordingLog } from '../../../support/process/recording-log.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { testDatabase } from '../../../support/process/test-database.js'

async function setUp() {
  const disposer = new Disposer()
  onTestFinished(() => disposer[Symbol.asyncDispose]())
  const folder = disposer.use(tempFolder())
  const place = await testDatabase(folder.path)
  let skippedMs = 0
  let writes = 0
  const clock: Clock = {
    ...systemClock,
    // It stands still but for `skip`: nothing is late because the machine is slow.
    monotonic: () => skippedMs,
  }
  const { log, lines } = recordingLog()
  const node = async (name: string, key = 'vault.key', limits: Partial<HandlingLimits> = {}) => {
    const deps = { clock, log, vault: openVault(join(folder.path, key)), limits }
    const db = disposer.use(await openDatabase(place, MIGRATIONS, name))
    const write: Database['write'] = (...asked) => {
      if (name === 'a') writes += 1
      return db.write(...asked)
    }
    return { db, requests: disposer.use(new NodeRequests({ db: { ...db, write }, ...deps })) }
  }
  const a = await node('a')
  return {
    a: a.requests,
    b: (await node('b')).requests,
    node,
    rows: () => a.db.read.selectFrom('node_requests').selectAll().execute(),
    lines,
    /** The writes of node a so far: the question is one, and its withdrawal is another. */
    writes: () => writes,
    skip: (ms: number) => {
      skippedMs += ms
    },
  }
}

/** The requests of one asker that may wait at a node. */
const MOST_OF_ONE = 250
/** Beyond the time in which a node begins; twice this is not beyond the wait for its answer. */
const LATE_MS = 6_000

const ask = (
  from: NodeRequests,
  content: unknown,
  ifLate: 'withdraw' | 'leave' = 'withdraw',
  asker = 'Zoe',
) => from.ask({ asker, node: 'b', kind: 'greet', content, ifLate })

/** Notes what the node was asked, and answers it. */
function greets(node: NodeRequests): readonly unknown[] {
  const asked: unknown[] = []
  node.on('greet', (content) => {
    asked.push(content)
    return Promise.resolve({ hello: content })
  })
  return asked
}

it('carries a question to the node and its answer back, and nothing is left', async () => {
  const { a, b, rows } = await setUp()
  const asked = greets(b)
  b.start()
  const names = ['Ann', 'Bob', 'Cid']
  const answers = await Promise.all(names.map((name) => ask(a, name)))
  expect(answers).toEqual(names.map((name) => ({ hello: name })))
  expect([...asked].sort()).toEqual(names)
  expect(await rows()).toEqual([])
})

it('carries an answer that is nothing', async () => {
  const { a, b } = await setUp()
  b.on('greet', () => Promise.resolve(undefined))
  b.start()
  expect(await ask(a, 'Ann')).toBeUndefined()
})

it('stores no word of a question or an answer that a reader of the database could read', async () => {
  const { a, b, rows } = await setUp()
  const secret = randomBytes(8).toString('hex')
  const isStored = deferred()
  const goOn = deferred()
  b.on('greet', async () => {
    isStored.resolve()
    await goOn.done
    return secret
  })
  b.start()
  const answer = ask(a, secret)
  await isStored.done
  expect(await rows()).toHaveLength(1)
  expect(JSON.stringify(await rows())).not.toContain(secret)
  goOn.resolve()
  expect(await answer).toBe(secret)
})

it('gives up on a silent node, which does nothing later', async () => {
  const { a, b, rows, skip } = await setUp()
  const asked = greets(b)
  const asking = expect(ask(a, 'Ann')).rejects.toThrow(NodeUnavailableError)
  await expect.poll(rows).toHaveLength(1)
  skip(LATE_MS)
  await asking
  expect(await rows()).toEqual([])
  b.start()
  await ask(a, 'Bob')
  expect(asked).toEqual(['Bob'])
})

it('leaves to a silent node what it is to do when it can', async () => {
  const { a, b, rows, skip } = await setUp()
  const asked = greets(b)
  const asking = expect(ask(a, 'Ann', 'leave')).rejects.toThrow(NodeUnavailableError)
  await expect.poll(rows).toHaveLength(1)
  skip(LATE_MS)
  await asking
  b.start()
  await expect.poll(() => asked).toEqual(['Ann'])
})

/** A node that has begun to answer, and goes on when it is told to. */
async function slowNode() {
  const nodes = await setUp()
  const begun = deferred()
  const goOn = deferred()
  nodes.b.on('greet', async (content) => {
    begun.resolve()
    await goOn.done
    return content
  })
  nodes.b.start()
  const outcome = Promise.allSettled([ask(nodes.a, 'Ann')])
  await begun.done
  nodes.skip(LATE_MS)
  await expect.poll(nodes.writes).toBe(2)
  return { ...nodes, outcome, goOn }
}

it('waits longer for a node that has begun', async () => {
  const { outcome, goOn, rows } = await slowNode()
  expect(await rows()).toHaveLength(1)
  goOn.resolve()
  expect(await outcome).toEqual([{ status: 'fulfilled', value: 'Ann' }])
})

it('waits no longer than a client does', async () => {
  const { outcome, goOn, skip } = await slowNode()
  skip(2 * LATE_MS)
  const unavailable = expect.any(NodeUnavailableError) as unknown
  expect(await outcome).toEqual([{ status: 'rejected', reason: unavailable }])
  goOn.resolve()
})

it('tells that a node failed, or does not know what it is asked', async () => {
  const { a, b, rows } = await setUp()
  b.on('greet', () => Promise.reject(new Error('no voice')))
  b.start()
  await expect(ask(a, 'Ann')).rejects.toThrow(NodeUnavailableError)
  const dance = { asker: 'Zoe', node: 'b', kind: 'dance', content: 1, ifLate: 'withdraw' } as const
  await expect(a.ask(dance)).rejects.toThrow(NodeUnavailableError)
  expect(await rows()).toEqual([])
})

it.each([
  ['the node', 'b'],
  ['who asks', 'c'],
])('says that a node failed where %s has another vault key, and the log names it', async (_title, stranger) => {
  const { a, b, node, rows, lines } = await setUp()
  const { requests } = await node(stranger, 'another.key')
  const [asker, asked] = stranger === 'b' ? [a, requests] : [requests, b]
  const greeted = greets(asked)
  asked.start()
  await expect(ask(asker, 'Ann')).rejects.toThrow(NodeUnavailableError)
  expect(greeted).toEqual([])
  expect(await rows()).toEqual([])
  const whys = lines
    .filter(({ fields }) => JSON.stringify(fields['err']).includes('has another vault.key'))
    .map(({ msg }) => msg)
  expect(whys).toEqual([
    'could not do what another node asks',
    'could not read the answer of another node',
  ])
})

/** A handler that ends with its signal, or never. */
const hangs = (isAborted: { resolve(): void }, end: 'with-signal' | 'never') => {
  return (_content: unknown, signal: AbortSignal): Promise<unknown> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        isAborted.resolve()
        if (end === 'with-signal') reject(reasonOf(signal))
      })
    })
}

it.each([
  'with-signal',
  'never',
] as const)('gives up what is not done in its time, and says so at once: ends %s', async (end) => {
  const { a, node, rows, lines } = await setUp()
  const { requests } = await node('b', 'vault.key', { workMs: 50 })
  const isAborted = deferred()
  requests.on('greet', hangs(isAborted, end))
  requests.start()
  await expect(ask(a, 'Ann')).rejects.toThrow('the server that has it failed')
  await isAborted.done
  expect(await rows()).toEqual([])
  const [line] = lines.filter(({ msg }) => msg === 'could not do what another node asks')
  expect(line?.fields['err']).toMatchObject({ message: 'it took too long' })
})

it('ends what is under way when it stops', async () => {
  const { a, node } = await setUp()
  const { requests: b } = await node('b', 'vault.key', { stopMs: 50 })
  const isAborted = deferred()
  const isBegun = deferred()
  b.on('greet', (content, signal) => {
    isBegun.resolve()
    return hangs(isAborted, 'with-signal')(content, signal)
  })
  b.start()
  const asking = expect(ask(a, 'Ann')).rejects.toThrow('the server that has it failed')
  await isBegun.done
  await b[Symbol.asyncDispose]()
  await isAborted.done
  await asking
})

it('does once what is asked of a name that two processes have', async () => {
  const { a, b, node } = await setUp()
  const { requests: twin } = await node('b')
  const asked = [greets(b), greets(twin)]
  b.start()
  twin.start()
  const names = Array.from({ length: 12 }, (_, index) => index)
  await Promise.all(names.map((name) => ask(a, name)))
  expect(asked.flat().sort((one, other) => Number(one) - Number(other))).toEqual(names)
})

it('waits for no answer when it stops', async () => {
  const { a, rows } = await setUp()
  const asking = expect(ask(a, 'Ann')).rejects.toThrow(NodeUnavailableError)
  await expect.poll(rows).toHaveLength(1)
  await a[Symbol.asyncDispose]()
  await asking
  expect(await rows()).toEqual([])
})

it('leaves room for others however much one asks', async () => {
  const { a, b, rows } = await setUp()
  const asked = greets(b)
  const names = Array.from({ length: MOST_OF_ONE }, (_, index) => index)
  const answers = Promise.all(names.map((name) => ask(a, name)))
  await expect.poll(rows).toHaveLength(MOST_OF_ONE)
  await expect(ask(a, 'one more')).rejects.toThrow(TooManyAskedError)
  const ofAnother = ask(a, 'Ann', 'withdraw', 'Yves')
  b.start()
  expect(await ofAnother).toEqual({ hello: 'Ann' })
  await answers
  expect(await ask(a, 'again')).toEqual({ hello: 'again' })
  expect(asked).not.toContain('one more')
})
