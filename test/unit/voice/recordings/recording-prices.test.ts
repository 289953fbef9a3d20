import { describe, expect, it } from 'vitest'
import { balanceOf } from '../../../../src/ledger/ledger.js'
import { newestOfCause } from '../../../../src/ledger/list-entries.js'
import { changeAccountRates, EVERYBODY } from '../../../../src/rating/account-rates.js'
import { setUpRecordingsApi } from '../../../support/voice/recordings-api.js'

/** The server after a crash: a recording of two seconds has its file, and no end yet. */
async function setUp(perMinute: number | undefined, tones: readonly number[] = [440]) {
  const t = await setUpRecordingsApi()
  if (perMinute !== undefined)
    await t.db.write((tx) => changeAccountRates(tx, EVERYBODY, { recording: perMinute }, 1))
  const left = await t.add({ status: 'in-progress', durationMs: undefined }, tones)
  const shown = async () => {
    const { bytes } = await t.request(`/Recordings/${left.sid}.json`)
    return JSON.parse(bytes.toString()) as Record<string, unknown>
  }
  const balance = async () => (await balanceOf(t.db.read, t.account.sid)).amount
  return Object.assign(t, { left, shown, balance })
}

describe('a recording', () => {
  it('is charged once when it is completed, and shows its price', async () => {
    await using t = await setUp(600_000)
    expect(await t.shown()).toMatchObject({ status: 'in-progress', price: null, price_unit: 'USD' })
    expect(await t.recordings.recover()).toBe(1)
    // Six seconds are billed at least: a tenth of a minute.
    const completed = { status: 'completed', duration: '2', price: '-0.0600', price_unit: 'USD' }
    expect(await t.shown()).toMatchObject(completed)
    expect(await t.balance()).toBe(-600)
    expect(await newestOfCause(t.db.read, t.account.sid, 'recording', 10)).toMatchObject([
      { reference: t.left.sid, amount: -600 },
    ])
    expect(await t.recordings.recover()).toBe(0)
    expect(await t.balance()).toBe(-600)
    const { bytes } = await t.request('/Recordings.json')
    expect(JSON.parse(bytes.toString())).toMatchObject({ recordings: [{ price: '-0.0600' }] })
  })

  it('without a rate has no price, and nothing is charged', async () => {
    await using t = await setUp(undefined)
    await t.recordings.recover()
    expect(await t.shown()).toMatchObject({ status: 'completed', price: null, price_unit: 'USD' })
    expect(await t.balance()).toBe(0)
  })

  it('that has no audio costs nothing', async () => {
    await using t = await setUp(600_000, [])
    await t.recordings.recover()
    expect(await t.shown()).toMatchObject({ status: 'absent', price: null })
    expect(await t.balance()).toBe(0)
  })

  it('that is deleted stays charged, and is charged no more', async () => {
    await using t = await setUp(600_000)
    await t.recordings.recover()
    const { answer } = await t.request(`/Recordings/${t.left.sid}.json`, { method: 'DELETE' })
    expect(answer.status).toBe(204)
    expect(await t.recordings.recover()).toBe(0)
    expect(await t.balance()).toBe(-600)
  })
})
