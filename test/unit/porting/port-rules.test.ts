import { describe, expect, it } from 'vitest'
import { foldNames } from '../../../src/account-api/porting/port-body.js'
import { streetTypeIn } from '../../../src/account-api/porting/port-fields.js'
import { sampleOf } from '../../../src/platform/uploads/file-sample.js'
import type { CarrierOrder } from '../../../src/porting/losing-carrier.js'
import {
  compactDate,
  dateIn,
  isTooLateToCancel,
  workingDay,
} from '../../../src/porting/port-dates.js'
import { letterType } from '../../../src/porting/port-letters.js'
import { REJECTIONS } from '../../../src/porting/rejections.js'
import { createSimulatedCarrier } from '../../../src/porting/simulated-carrier.js'
import { PDF, PNG, STORED_SUBSCRIBER } from '../../support/porting/port-samples.js'

describe('dates of ports', () => {
  it.each<[string, string | undefined]>([
    ['2026-02-27', '2026-02-27'],
    ['2026-02-27T10:30:00Z', '2026-02-27'],
    ['2026-02-27T10:30:00.000-05:00', '2026-02-27'],
    ['2026-02-30', undefined],
    ['2026-13-01', undefined],
    ['27.02.2026', undefined],
    ['tomorrow', undefined],
    ['', undefined],
  ])('"%s" is read as %s', (text, date) => {
    expect(dateIn(text)).toBe(date)
  })

  it.each([
    ['a Friday', '2026-01-16', '2026-01-16'],
    ['a Saturday', '2026-01-17', '2026-01-19'],
    ['a Sunday', '2026-01-18', '2026-01-19'],
  ])('%s moves to a working day', (_title, date, working) => {
    expect(workingDay(date)).toBe(working)
  })

  it('a port is cancelled until 48 hours before 15:00 of its date, not later', () => {
    const last = Date.UTC(2026, 0, 14, 15)
    expect([
      isTooLateToCancel('2026-01-16', last),
      isTooLateToCancel('2026-01-16', last + 1),
    ]).toEqual([false, true])
  })

  it('are shown without separators, and nothing as an empty text', () => {
    expect([compactDate('2026-01-16'), compactDate(undefined)]).toEqual(['20260116', ''])
  })
})

describe('types of streets', () => {
  it.each([
    ['ST', 'ST'],
    ['Ave.', 'AVE'],
    [' blvd ', 'BLVD'],
    ['Street', undefined],
    ['', undefined],
  ])('"%s" is read as %s', (text, type) => {
    expect(streetTypeIn(text)).toBe(type)
  })
})

describe('letters of authorisation', () => {
  it.each<[string, string, Buffer, string | undefined]>([
    ['a PDF', 'letter.pdf', PDF, 'application/pdf'],
    ['a PDF in capitals', 'LETTER.PDF', PDF, 'application/pdf'],
    ['a PNG', 'scan.png', PNG, 'image/png'],
    ['a JPEG', 'photo.jpeg', Buffer.from('ffd8ffe0', 'hex'), 'image/jpeg'],
    ['a TIFF', 'fax.tif', Buffer.from('II*\0'), 'image/tiff'],
    ['a program that is called PDF', 'letter.pdf', Buffer.from('MZ'), undefined],
    ['a PNG that is called PDF', 'letter.pdf', PNG, undefined],
    ['a page', 'letter.html', Buffer.from('<html>'), undefined],
    ['an empty file', 'letter.pdf', Buffer.alloc(0), undefined],
    ['a path', '../letter.pdf', PDF, undefined],
    ['a name with a line break', 'a\nb.pdf', PDF, undefined],
    ['no name', '', PDF, undefined],
  ])('%s', (_title, fileName, content, mimeType) => {
    const checked = letterType(fileName, sampleOf(content))
    expect('mimeType' in checked ? checked.mimeType : undefined).toBe(mimeType)
  })
})

describe('names of fields', () => {
  it.each<[string, unknown, unknown]>([
    ['snake case', { lc_btn: '1' }, { lcBtn: '1' }],
    ['Pascal case', { LcBtn: '1' }, { lcBtn: '1' }],
    [
      'within lists',
      { features: [{ sms: { campaign_id: 'C' } }] },
      { features: [{ sms: { campaignId: 'C' } }] },
    ],
    ['the right name wins', { lcBtn: '1', lc_btn: '2' }, { lcBtn: '1' }],
    ['an unknown name stays', { some_thing: 1 }, { some_thing: 1 }],
    ['no object', 'text', 'text'],
  ])('%s', (_title, given, read) => {
    expect(foldNames(['lcBtn', 'features', 'sms', 'campaignId'])(given)).toEqual(read)
  })
})

describe('the simulated carrier', () => {
  const START = Date.UTC(2026, 0, 15, 12)
  const HOUR = 3_600_000
  const order: CarrierOrder = {
    reference: 'PO1',
    kind: 'local',
    state: 'pending',
    foc: undefined,
    enteredAt: START,
    numbers: ['+12025550143'],
    accountNumber: '4711',
    pin: undefined,
    desiredDueDate: '',
    version: 3,
    subscriber: STORED_SUBSCRIBER,
  }
  const never = new AbortController().signal
  const ask = (change: Partial<CarrierOrder>, now: number) =>
    createSimulatedCarrier().ask({ ...order, ...change }, now, never)

  it.each<[string, Partial<CarrierOrder>, number, object]>([
    ['reviews at once', { state: 'submitted' }, START, { type: 'review-began' }],
    ['takes an hour', { state: 'validating' }, START + 1, { type: 'wait', until: START + HOUR }],
    ['passes a review', { state: 'validating' }, START + HOUR, { type: 'review-passed' }],
    ['answers in a day', {}, START + HOUR, { type: 'wait', until: START + 24 * HOUR }],
    [
      'gives a week of notice, and no weekend',
      {},
      START + 24 * HOUR,
      { type: 'date-confirmed', foc: '2026-01-23' },
    ],
    [
      'gives toll-free numbers less notice',
      { kind: 'toll-free' },
      START + 24 * HOUR,
      { type: 'date-confirmed', foc: '2026-01-20' },
    ],
    [
      'keeps to a later wish',
      { desiredDueDate: '2026-03-02' },
      START + 24 * HOUR,
      { type: 'date-confirmed', foc: '2026-03-02' },
    ],
    [
      'rejects a wrong PIN',
      { accountNumber: '4799902' },
      START + 24 * HOUR,
      { type: 'rejected', reason: REJECTIONS.pin },
    ],
    [
      'asks for a PIN',
      { accountNumber: '4718' },
      START + 24 * HOUR,
      { type: 'rejected', reason: REJECTIONS.pin },
    ],
    [
      'is content with the PIN',
      { accountNumber: '4718', pin: '1' },
      START + 24 * HOUR,
      { type: 'date-confirmed', foc: '2026-01-23' },
    ],
    [
      'completes on the date, at 15:00',
      { state: 'foc', foc: '2026-01-23' },
      Date.UTC(2026, 0, 23, 15),
      { type: 'activated' },
    ],
    [
      'has nothing to say on a rejected one',
      { state: 'exception' },
      START,
      { type: 'wait', until: undefined },
    ],
  ])('%s', async (_title, change, now, answer) => {
    expect(await ask(change, now)).toEqual(answer)
  })
})
