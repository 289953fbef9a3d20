import { describe, expect, it } from 'vitest'
import { createAccounts } from '../../../src/accounts/accounts.js'
import { holdNumber } from '../../../src/numbers/held-numbers.js'
import { systemClock } from '../../../src/platform/clock.js'
import type { Database, Writer } from '../../../src/platform/database/database.js'
import { openDatabase } from '../../../src/platform/database/open-database.js'
import { Disposer } from '../../../src/platform/disposer.js'
import { newSid } from '../../../src/platform/ids.js'
import { openVault } from '../../../src/platform/secrets.js'
import { changePort } from '../../../src/porting/change-port.js'
import type { Port } from '../../../src/porting/port.js'
import { claimPort, nextDuePort, releasePorts } from '../../../src/porting/storage/due-ports.js'
import {
  findPortBySid,
  insertNumbers,
  insertPort,
  insertTicket,
} from '../../../src/porting/storage/port-storage.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'
import { STORED_SUBSCRIBER } from '../../support/porting/port-samples.js'
import { tempFolder } from '../../support/process/temp-folder.js'
import { testDatabase } from '../../support/process/test-database.js'

const NOW = Date.UTC(2026, 0, 15, 12)
const NUMBER = '+12025550143'
const CAPABILITIES = { voice: true, sms: false, mms: false, fax: false }

/** Two nodes on one database, with ports whose dates have come. */
async function twoNodes(ports: number) {
  const disposer = new Disposer()
  const folder = disposer.use(tempFolder())
  const place = await testDatabase(folder.path)
  const [a, b] = await Promise.all([
    openDatabase(place, MIGRATIONS, 'a'),
    openDatabase(place, MIGRATIONS, 'b'),
  ])
  disposer.use(a)
  disposer.use(b)
  const vault = openVault(`${folder.path}/vault.key`)
  const accounts = createAccounts({ db: a, vault, clock: systemClock })
  const { sid } = await accounts.create({ friendlyName: 'Acme' })
  for (let index = 0; index < ports; index += 1) await a.write((tx) => addPort(tx, sid, index))
  return { a, b, [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose]() }
}

async function addPort(tx: Writer, accountSid: string, index: number): Promise<void> {
  const foc = '2026-01-15'
  const port: Omit<Port, 'pid'> = {
    sid: `PI${String(index)}`,
    accountSid,
    ticket: await insertTicket(tx, { accountSid, at: NOW }),
    kind: 'local',
    progress: { state: 'foc', foc },
    isSigned: true,
    foc,
    changes: 4,
    message: '',
    subscriber: STORED_SUBSCRIBER,
    pinSealed: undefined,
    losingCarrier: 'Other Telecom',
    numbers: [],
    enteredAt: NOW,
    createdAt: NOW,
    updatedAt: NOW,
  }
  await insertPort(tx, port, [`AB${String(100 + index)}`], NOW + index)
  if (index === 0) await insertNumbers(tx, 'PI0', [{ e164: NUMBER, features: {} }])
}

/** Completes the port as a node does; `after` runs in its transaction, at the very end. */
async function complete(
  db: Database,
  after: () => void = () => undefined,
): Promise<'done' | 'refused' | 'killed'> {
  const port = await findPortBySid(db.read, 'PI0')
  if (port === undefined) throw new Error('there is no port')
  const sid = newSid('PN')
  try {
    await db.write(async (tx) => {
      await changePort(
        tx,
        port,
        { event: { type: 'activated' }, actor: 'carrier', now: NOW },
        {
          mails: { enqueue: () => Promise.resolve() },
          activate: async () => {
            const { accountSid } = port
            const held = { sid, accountSid, e164: NUMBER, capabilities: CAPABILITIES }
            await holdNumber(tx, held, NOW)
            return []
          },
        },
      )
      after()
    })
    return 'done'
  } catch (error) {
    if (error instanceof KilledError) return 'killed'
    expect(error).toMatchObject({ code: 'port-state' })
    return 'refused'
  }
}

class KilledError extends Error {
  override readonly name = 'KilledError'
}

async function stateOf({ read }: Database) {
  const port = await findPortBySid(read, 'PI0')
  const held = await read.selectFrom('phone_numbers').select('phoneNumber').execute()
  const history = await read.selectFrom('port_history').select('change').execute()
  return {
    state: port?.progress.state,
    numbers: held.map(({ phoneNumber }) => phoneNumber),
    changes: history.map(({ change }) => change),
  }
}

describe('two nodes that find ports due', () => {
  it('claim each port once', async () => {
    await using t = await twoNodes(20)
    const claims = Array.from({ length: 20 }, async (_, index) => {
      const due = { sid: `PI${String(index)}`, dueAt: NOW + index }
      const both = await Promise.all([claimPort(t.a, due, NOW), claimPort(t.b, due, NOW)])
      return both.filter(Boolean).length
    })
    expect(await Promise.all(claims)).toEqual(Array.from({ length: 20 }, () => 1))
  })

  it('pass over what the other has claimed, and get it when that one has died', async () => {
    await using t = await twoNodes(2)
    const first = await nextDuePort(t.a, NOW)
    expect(first).toEqual({ sid: 'PI0', dueAt: NOW })
    if (first !== undefined) expect(await claimPort(t.a, first, NOW)).toBe(true)
    expect(await nextDuePort(t.b, NOW)).toEqual({ sid: 'PI1', dueAt: NOW + 1 })
    await t.b.write((tx) => releasePorts(tx, 'a'))
    expect(await nextDuePort(t.b, NOW)).toEqual(first)
  })

  it('complete a port once when both were told of it', async () => {
    await using t = await twoNodes(1)
    const outcomes = await Promise.all([complete(t.a), complete(t.b)])
    expect(outcomes.toSorted()).toEqual(['done', 'refused'])
    expect(await stateOf(t.a)).toEqual({ state: 'complete', numbers: [NUMBER], changes: [5] })
  })

  it('leave nothing of a completion in which one was killed, and the other completes it', async () => {
    await using t = await twoNodes(1)
    const killed = await complete(t.a, () => {
      throw new KilledError('killed before the commit')
    })
    expect(killed).toBe('killed')
    expect(await stateOf(t.b)).toEqual({ state: 'foc', numbers: [], changes: [] })
    expect(await complete(t.b)).toBe('done')
    expect(await stateOf(t.b)).toEqual({ state: 'complete', numbers: [NUMBER], changes: [5] })
  })
})
