import { beforeEach, describe, expect, it } from 'vitest'
import { createAccounts } from '../../../src/accounts/accounts.js'
import { holdNumber, releaseNumber } from '../../../src/numbers/held-numbers.js'
import {
  changeNumberSettings,
  DEFAULT_SETTINGS,
  findNumberWithSettings,
  hasNumbersOnGateway,
  numbersOnRoute,
  settingsOf,
} from '../../../src/numbers/number-settings.js'
import {
  isPortOutPin,
  newPortOutPin,
  portOutPinOf,
  setPortOutPin,
} from '../../../src/numbers/port-out-pins.js'
import { SYSTEM_ROUTES, systemRouteName } from '../../../src/numbers/system-routes.js'
import { type Clock, systemClock } from '../../../src/platform/clock.js'
import type { Database } from '../../../src/platform/database/database.js'
import { newSid } from '../../../src/platform/ids.js'
import { openVault, type Vault } from '../../../src/platform/secrets.js'
import { tempFolder } from '../../support/process/temp-folder.js'
import { openTestDatabase } from '../../support/process/test-database.js'

const NUMBER = '+12025550111'
const VOICE = { voice: true, sms: false, mms: false, fax: false }

let db: Database
let vault: Vault
let accountSid: string
const clock: Clock = systemClock

const hold = (e164: string, sid: string = newSid('PN')) =>
  db.write((tx) => holdNumber(tx, { sid, accountSid, e164, capabilities: VOICE }, clock.now()))
const change = (sid: string, wanted: Parameters<typeof changeNumberSettings>[2]) =>
  db.write((tx) => changeNumberSettings(tx, sid, wanted, clock.now()))
const onRoute = async (route: number) =>
  (await numbersOnRoute(db.read, accountSid, route)).map(({ number }) => number.e164)

beforeEach(async () => {
  const folder = tempFolder()
  db = await openTestDatabase(folder.path, 'node')
  vault = openVault(`${folder.path}/vault.key`)
  const account = await createAccounts({ db, vault, clock }).create({ friendlyName: 'Acme' })
  accountSid = account.sid
  return async () => {
    await db[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  }
})

describe('settings of a number', () => {
  it('are those of its voice application until something is set', async () => {
    const { sid } = await hold(NUMBER)
    const found = await findNumberWithSettings(db.read, NUMBER)
    expect(found?.number.sid).toBe(sid)
    expect(found?.settings).toEqual(DEFAULT_SETTINGS)
    expect(DEFAULT_SETTINGS.route).toBe(SYSTEM_ROUTES.VOICE_BRIDGE)
  })

  it('keep what a change does not name, and lose what it clears', async () => {
    const { sid } = await hold(NUMBER)
    await change(sid, { route: 4, forwardTo: '+12025550122', translation: '100' })
    await change(sid, { looksUpCallerName: true, callerName: 'ACME', isFaxEnabled: true })
    await change(sid, { forwardTo: null, porting: 'in', user: 'desk' })
    const expected = {
      route: 4,
      user: 'desk',
      forwardTo: undefined,
      translation: '100',
      looksUpCallerName: true,
      callerName: 'ACME',
      isFaxEnabled: true,
      porting: 'in',
    }
    expect(await settingsOf(db.read, sid)).toEqual(expected)
    expect((await findNumberWithSettings(db.read, NUMBER))?.settings).toEqual(expected)
  })

  it('go with the number', async () => {
    const number = await hold(NUMBER)
    await change(number.sid, { route: 4 })
    await db.write((tx) => releaseNumber(tx, number, clock.now()))
    expect(await findNumberWithSettings(db.read, NUMBER)).toBeUndefined()
    await hold(NUMBER, number.sid)
    expect(await settingsOf(db.read, number.sid)).toEqual(DEFAULT_SETTINGS)
  })

  it('find the numbers of a route, those of the default one without a row included', async () => {
    const first = await hold(NUMBER)
    const second = await hold('+12025550112')
    await hold('+12025550113')
    await change(first.sid, { route: 117 })
    await change(second.sid, { callerName: 'ACME' })
    expect(await onRoute(117)).toEqual([NUMBER])
    expect(await onRoute(3)).toEqual(['+12025550112', '+12025550113'])
    expect(await onRoute(4)).toEqual([])
    expect(await hasNumbersOnGateway(db.read, accountSid, 117)).toBe(true)
    expect(await hasNumbersOnGateway(db.read, 'AC0', 117)).toBe(false)
    await change(first.sid, { route: 3 })
    expect(await hasNumbersOnGateway(db.read, accountSid, 117)).toBe(false)
  })
})

describe('the PIN of a number', () => {
  it('is sealed, and leaves the settings as they are', async () => {
    const { sid } = await hold(NUMBER)
    await change(sid, { route: 4 })
    expect(await portOutPinOf(db.read, vault, sid)).toBeUndefined()
    expect(await isPortOutPin(db.read, vault, { numberSid: sid, pin: '1234' })).toBe(false)
    await db.write((tx) => setPortOutPin(tx, vault, { numberSid: sid, pin: '1234' }, clock.now()))
    expect(await portOutPinOf(db.read, vault, sid)).toBe('1234')
    expect(await isPortOutPin(db.read, vault, { numberSid: sid, pin: '1234' })).toBe(true)
    expect(await isPortOutPin(db.read, vault, { numberSid: sid, pin: '1235' })).toBe(false)
    expect((await settingsOf(db.read, sid)).route).toBe(4)
    const row = await db.read.selectFrom('number_settings').selectAll().executeTakeFirst()
    expect(row?.portOutPinSealed).not.toContain('1234')
  })

  it('is from 1000 to 9999 when nobody chooses it', () => {
    const pins = Array.from({ length: 200 }, newPortOutPin)
    expect(pins.filter((pin) => !/^[1-9][0-9]{3}$/.test(pin))).toEqual([])
  })
})

describe('system routes', () => {
  it.each([
    [1, 'USER'],
    [2, 'T30'],
    [3, 'VOICE_BRIDGE'],
    [4, 'DID'],
    [5, 'T38'],
    [6, 'RTC_BRIDGE'],
    [8, 'SDN'],
    [7, undefined],
    [0, undefined],
    [100, undefined],
  ])('%i is %s', (id, name) => {
    expect(systemRouteName(id)).toBe(name)
  })
})
