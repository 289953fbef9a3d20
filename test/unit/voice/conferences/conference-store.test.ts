import { describe, expect, it } from 'vitest'
import { systemClock as clock } from '../../../../src/platform/clock.js'
import { Disposer } from '../../../../src/platform/disposer.js'
import { newConferenceRecord } from '../../../../src/voice/conferences/conference-record.js'
import { createConferenceStore } from '../../../../src/voice/conferences/conference-store.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'
import { RecordingOutbox } from '../../../support/voice/recording-outbox.js'

const ACCOUNT = `AC${'1'.repeat(32)}`

async function setUp() {
  const stack = new Disposer()
  const folder = stack.use(tempFolder())
  const db = stack.use(await openTestDatabase(folder.path))
  const outbox = new RecordingOutbox(db)
  const store = createConferenceStore({ db, clock, outbox })
  const told = () =>
    outbox.callbacks.map(({ params }): Record<string, string> => Object.fromEntries(params))
  const room = (name: string, now = clock.now()) =>
    newConferenceRecord(
      ACCOUNT,
      { name, statusCallback: { url: 'http://app.test/news', method: 'POST', events: ['end'] } },
      now,
    )
  return { store, told, room, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() }
}

describe('the rooms that are stored', () => {
  it('tell the end of one that a killed process left, once, after what it had told', async () => {
    await using t = await setUp()
    const begun = await t.store.save({ ...t.room('left'), status: 'in-progress' }, [
      { type: 'start' },
    ])
    await t.store.recover()
    await t.store.recover()
    expect(t.told()).toMatchObject([
      {
        ConferenceSid: begun.sid,
        StatusCallbackEvent: 'conference-end',
        SequenceNumber: '2',
        ReasonConferenceEnded: 'last-participant-left',
      },
    ])
    expect(await t.store.find(ACCOUNT, begun.sid)).toMatchObject({ status: 'completed' })
  })

  it('are listed newest first, by name, status and day, of their account alone', async () => {
    await using t = await setUp()
    const day = (n: number) => Date.UTC(2024, 0, n)
    for (const n of [1, 2, 3]) await t.store.save(t.room(`room ${n}`, day(n)), [])
    await t.store.save({ ...t.room('room 2', day(4)), status: 'completed' }, [])
    const names = async (...[account, filter]: [string, Parameters<typeof t.store.list>[1]]) => {
      const page = await t.store.list(account, filter, { limit: 10, offset: 0 })
      return page.items.map(
        ({ friendlyName, createdAt }) => `${friendlyName} of ${new Date(createdAt).getUTCDate()}`,
      )
    }
    expect(await names(ACCOUNT, {})).toEqual([
      ...['room 2 of 4', 'room 3 of 3', 'room 2 of 2', 'room 1 of 1'],
    ])
    expect(await names(ACCOUNT, { friendlyName: 'room 2' })).toEqual(['room 2 of 4', 'room 2 of 2'])
    expect(await names(ACCOUNT, { status: 'completed' })).toEqual(['room 2 of 4'])
    expect(await names(ACCOUNT, { createdFrom: day(2), createdBefore: day(4) })).toEqual([
      ...['room 3 of 3', 'room 2 of 2'],
    ])
    expect(await names(`AC${'2'.repeat(32)}`, {})).toEqual([])
    const first = await t.store.list(ACCOUNT, {}, { limit: 3, offset: 0 })
    const last = first.nextAfter ?? { at: 0, sid: '' }
    const rest = { limit: 3, offset: 3, cursor: { side: 'after', ...last } } as const
    const second = await t.store.list(ACCOUNT, {}, rest)
    expect(second.items.map(({ friendlyName }) => friendlyName)).toEqual(['room 1'])
    expect({ total: second.total, next: second.nextAfter }).toEqual({ total: 4, next: undefined })
  })
})
