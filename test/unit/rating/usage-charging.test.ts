import { describe, expect, it } from 'vitest'
import { balanceOf } from '../../../src/ledger/ledger.js'
import { newestOfCause } from '../../../src/ledger/list-entries.js'
import { changeAccountRates, EVERYBODY } from '../../../src/rating/account-rates.js'
import {
  createUsageCharging,
  priceOfUsage,
  type Usage,
} from '../../../src/rating/usage-charging.js'
import { ledgerFixture, START } from '../../support/billing/ledger-fixture.js'

type Recording = Extract<Usage, { kind: 'recording' }>

const recording = (more: Partial<Recording> = {}): Recording => ({
  kind: 'recording',
  sid: 'RE1',
  accountSid: 'AC1',
  seconds: 60,
  at: START,
  ...more,
})
const transcription = (sid = 'TR1'): Usage => ({
  kind: 'transcription',
  sid,
  accountSid: 'AC1',
  recordingSid: 'RE1',
  at: START,
})

async function setUp() {
  const fixture = await ledgerFixture()
  const { db, ledger } = fixture
  const charging = createUsageCharging(ledger)
  const rate = (owner: string, change: Readonly<Record<string, number | null>>) =>
    db.write((tx) => changeAccountRates(tx, owner, change, START))
  const charge = (usage: Usage) => db.write((tx) => charging.charge(tx, usage))
  const account = (sid: string, username: string, master: string | null) =>
    db.write((tx) =>
      tx
        .insertInto('accounts')
        .values({
          sid,
          friendlyName: sid,
          status: 'active',
          secretHash: sid,
          secretSealed: '',
          phoneRegions: '[]',
          username,
          services: '{}',
          masterSid: master,
          isAdministrator: 0,
          timezone: 'UTC',
          notify: 0,
          notifyThreshold: 0,
          authType: 0,
          createdAt: START,
          updatedAt: START,
        })
        .execute(),
    )
  return Object.assign(fixture, { account, charge, rate })
}

describe('the price of a recording', () => {
  it.each([
    [2_500, 60, 25],
    [2_500, 61, 28],
    [2_500, 0, 3],
    [2_500, 6, 3],
    [10_000, 3_600, 6_000],
    [0, 60, 0],
  ])('at %i millionths of a dollar for a minute, of %i seconds, is %i', (rate, seconds, price) => {
    expect(priceOfUsage(rate, recording({ seconds }))).toBe(price)
  })
})

it.each([
  [50_000, 500],
  [1, 1],
  [0, 0],
])('a transcription at %i millionths of a dollar costs %i', (rate, price) => {
  expect(priceOfUsage(rate, transcription())).toBe(price)
})

describe('a usage', () => {
  it('costs nothing without a rate, and has no price', async () => {
    await using t = await setUp()
    await t.rate('AC1', { transcription: 50_000, nibble: 10_000 })
    await t.rate('AC2', { recording: 50_000 })
    expect(await t.charge(recording())).toBeUndefined()
    expect(await balanceOf(t.db.read, 'AC1')).toEqual({ amount: 0, reserved: 0 })
  })

  it('is charged once, with its cause, whatever is repeated', async () => {
    await using t = await setUp()
    await t.rate(EVERYBODY, { recording: 2_500, transcription: 50_000 })
    for (const _ of ['first', 'again']) {
      expect(await t.charge(recording())).toBe(25)
      expect(await t.charge(transcription())).toBe(500)
    }
    expect(await balanceOf(t.db.read, 'AC1')).toEqual({ amount: -525, reserved: 0 })
    expect(await newestOfCause(t.db.read, 'AC1', 'recording', 10)).toMatchObject([
      { reference: 'RE1', amount: -25, description: 'Recording of 60 seconds' },
    ])
    expect(await newestOfCause(t.db.read, 'AC1', 'transcription', 10)).toMatchObject([
      { reference: 'TR1', amount: -500, description: 'Transcription of the recording RE1' },
    ])
    expect(await t.faults()).toEqual([])
  })

  it('takes the rate of its account, else its master, else everybody, and its master pays', async () => {
    await using t = await setUp()
    await t.account('AC1', '2025550101', null)
    await t.account('AC2', '2025550102', 'AC1')
    const ofSub = (sid: string) => t.charge(recording({ sid, accountSid: 'AC2' }))
    await t.rate(EVERYBODY, { recording: 10_000 })
    expect(await ofSub('RE1')).toBe(100)
    await t.rate('AC1', { recording: 5_000 })
    expect(await ofSub('RE2')).toBe(50)
    await t.rate('AC2', { recording: 0 })
    expect(await ofSub('RE3')).toBe(0)
    await t.rate('AC2', { recording: null })
    expect(await ofSub('RE4')).toBe(50)
    expect((await balanceOf(t.db.read, 'AC1')).amount).toBe(-200)
    expect((await balanceOf(t.db.read, 'AC2')).amount).toBe(0)
  })
})
