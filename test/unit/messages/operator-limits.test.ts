import { describe, expect, it } from 'vitest'
import {
  createLocalOperators,
  firstKnown,
  operatorOfName,
} from '../../../src/messages/operator-lookup.js'
import { limitsOf } from '../../../src/messages/rules/sending-rate.js'
import type { MaySend, SendingPermission } from '../../../src/registry/registry.js'
import { FROM, messagesFixture, START, TO } from '../../support/messages/messages-fixture.js'
import { CAMPAIGN } from '../../support/messages/permit-all.js'

const [ATT, T_MOBILE, VERIZON] = [10017, 10035, 10038]
type Permission = Extract<SendingPermission, { readonly isAllowed: true }>

/** A campaign with AT&T's rate, T-Mobile's cap, and no operator that carries it beside them. */
function permission(cap: number, scope: 'CAMPAIGN' | 'PHONE_NUMBER' = 'CAMPAIGN'): Permission {
  const none = { smsPerMinute: null, mmsPerMinute: null, scope: null, brandDailyCap: null }
  const open = { isAllowed: true, status: 'REGISTERED' } as const
  return {
    isAllowed: true,
    ...CAMPAIGN,
    operators: [
      { ...none, ...open, mnoId: ATT, name: 'AT&T', smsPerMinute: 60, mmsPerMinute: 30, scope },
      { ...none, ...open, mnoId: T_MOBILE, name: 'T-Mobile', brandDailyCap: cap },
      { ...none, isAllowed: false, status: 'SUSPENDED', mnoId: VERIZON, name: 'Verizon Wireless' },
    ],
  }
}

const sms = { from: FROM, kind: 'sms' } as const

describe('the limits of a message', () => {
  it.each([
    ['AT&T counts by the campaign', ATT, 'CAMPAIGN', `campaign:C000001@${ATT}/sms`, 60],
    ['AT&T counts by the number', ATT, 'PHONE_NUMBER', `number:${FROM}@${ATT}/sms`, 60],
    [
      'an unknown operator has the rate of AT&T',
      undefined,
      'CAMPAIGN',
      `campaign:C000001@${ATT}/sms`,
      60,
    ],
  ] as const)('%s', (_title, operator, scope, bucket, segmentsPerMinute) => {
    const { rate, cap, isCarried } = limitsOf(permission(9, scope), { ...sms, operator })
    expect([rate, cap, isCarried]).toEqual([{ bucket, segmentsPerMinute }, undefined, true])
  })

  it('are the cap of the tax ID at T-Mobile, and nothing by the minute', () => {
    expect(limitsOf(permission(9), { ...sms, operator: T_MOBILE })).toEqual({
      isCarried: true,
      rate: undefined,
      cap: { key: `${T_MOBILE}:${CAMPAIGN.dailyCapKey}`, segments: 9 },
    })
  })

  it('have a rate of their own for media', () => {
    const { rate } = limitsOf(permission(9), { from: FROM, kind: 'mms', operator: ATT })
    expect(rate).toEqual({ bucket: `campaign:C000001@${ATT}/mms`, segmentsPerMinute: 30 })
  })

  it('have the rate for media of AT&T where the operator is unknown', () => {
    const { rate, cap } = limitsOf(permission(9), { from: FROM, kind: 'mms', operator: undefined })
    expect(rate).toEqual({ bucket: `campaign:C000001@${ATT}/mms`, segmentsPerMinute: 30 })
    expect(cap).toBeUndefined()
  })

  it.each([
    ATT,
    undefined,
  ])('are those of texts where AT&T says nothing of media (%s)', (operator) => {
    const campaign = permission(9)
    const operators = campaign.operators.map((each) => ({ ...each, mmsPerMinute: null }))
    const { rate } = limitsOf({ ...campaign, operators }, { from: FROM, kind: 'mms', operator })
    expect(rate).toEqual({ bucket: `campaign:C000001@${ATT}/mms`, segmentsPerMinute: 60 })
  })

  it('say that an operator does not carry the campaign', () => {
    expect(limitsOf(permission(9), { ...sms, operator: VERIZON }).isCarried).toBe(false)
  })
})

describe('the operator of a destination', () => {
  it('is that of the longest prefix', async () => {
    const local = createLocalOperators(
      new Map([
        ['+1303', ATT],
        ['+1303555', T_MOBILE],
      ]),
    )
    expect(await local.operatorOf('+13035550142')).toBe(T_MOBILE)
    expect(await local.operatorOf('+13036660142')).toBe(ATT)
    const other = { operatorOf: () => Promise.resolve(VERIZON) }
    expect(await firstKnown(local, other).operatorOf('+12125550142')).toBe(VERIZON)
  })

  it.each([
    ['AT&T Mobility', ATT],
    ['T-MOBILE USA, INC.', T_MOBILE],
    ['Cellco Partnership dba Verizon Wireless', VERIZON],
    ['US Cellular', 10037],
    ['Verizon New York', undefined],
    ['CHATTANOOGA TELEPHONE', undefined],
    ['Seattle Wireless', undefined],
    ['NEW CINGULAR WIRELESS PCS', ATT],
    ['ATT Mobility', ATT],
    ['', undefined],
  ])('is known by the name "%s" of its carrier', (name, operator) => {
    expect(operatorOfName(name)).toBe(operator)
  })
})

/** The first moment of the next day in Los Angeles. */
const MIDNIGHT = Date.UTC(2026, 10, 17, 8)
const MINUTE = 60_000

async function setUp(cap: number, operator: number | undefined = T_MOBILE) {
  const maySend: MaySend = () => Promise.resolve(permission(cap))
  const operators = { operatorOf: () => Promise.resolve(operator) }
  const fixture = await messagesFixture({ maySend, operators })
  const listed = async (status: 'queued' | 'sent') =>
    (await fixture.messages.list(fixture.account.sid, { status }, { limit: 1, offset: 0 })).total
  return Object.assign(fixture, { listed })
}

describe("T-Mobile's daily cap", () => {
  it('holds messages back until midnight in Los Angeles', async () => {
    await using t = await setUp(3)
    t.turnTo(MIDNIGHT - MINUTE)
    for (let sent = 0; sent < 4; sent += 1) await t.send()
    await t.messages.settle()
    expect([await t.listed('sent'), await t.listed('queued')]).toEqual([3, 1])
    t.turnTo(MIDNIGHT)
    await t.messages.settle()
    expect(await t.listed('sent')).toBe(4)
  })

  it('goes on counting the day while messages wait for the next one', async () => {
    await using t = await setUp(3)
    t.turnTo(MIDNIGHT - MINUTE)
    for (let sent = 0; sent < 6; sent += 1) await t.send({ to: `+1303555${1000 + sent}` })
    await t.messages.settle()
    expect([await t.listed('sent'), await t.listed('queued')]).toEqual([3, 3])
    t.turnTo(MIDNIGHT)
    await t.messages.settle()
    expect(await t.listed('sent')).toBe(6)
    await expect(t.send()).rejects.toMatchObject({ code: 'message-queue-full' })
  })

  it('refuses what would expire first; what was refused has taken no room', async () => {
    await using t = await setUp(3)
    t.turnTo(START)
    await t.send({ body: 'a'.repeat(161) })
    const refused = { code: 'message-queue-full' }
    await expect(t.send({ body: 'a'.repeat(161) })).rejects.toMatchObject(refused)
    await t.send()
    await expect(t.send()).rejects.toMatchObject(refused)
  })

  it('is counted once for each message, whoever sends at the same time', async () => {
    await using t = await setUp(5)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => t.send({ to: `+1303555${1000 + index}` })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })

  it('counts for a scheduled message on its own day', async () => {
    await using t = await setUp(1)
    await t.send()
    const { sid } = await t.send({ sendAt: MIDNIGHT + MINUTE })
    t.turnTo(MIDNIGHT + MINUTE)
    await t.messages.settle()
    expect(await t.status(sid)).toBe('sent')
    await expect(t.send()).rejects.toMatchObject({ code: 'message-queue-full' })
  })
})

it('is refused (30034) where the operator does not carry the campaign', async () => {
  await using t = await setUp(9, VERIZON)
  await expect(t.send({ to: TO })).rejects.toMatchObject({ number: 30034 })
})
