import { expect, it } from 'vitest'
import { holdNumber } from '../../../src/numbers/held-numbers.js'
import type { Writer } from '../../../src/platform/database/database.js'
import { messagesFixture, START, TO } from '../../support/messages/messages-fixture.js'
import { CAMPAIGN } from '../../support/messages/permit-all.js'

const TOLL_FREE = '+18005550101'
const HOLDER = 'AC00000000000000000000000000000001'

async function storeHeld(tx: Writer, e164: string): Promise<void> {
  const capabilities = { voice: true, sms: true, mms: false, fax: false }
  const sid = `PN${e164.slice(1).padStart(32, '0')}`
  await holdNumber(tx, { sid, accountSid: HOLDER, e164, capabilities }, START)
}

async function storeProvisioned(tx: Writer, e164: string, isCurrent: 0 | 1): Promise<void> {
  const provisioned = { nnid: '1', provisionedAt: START, isCurrent }
  await tx
    .insertInto('registry_numbers')
    .values({ campaignId: CAMPAIGN.campaignId, phoneNumber: e164, ...provisioned })
    .execute()
}

/** Stores the holder of the number that was under the campaign when TO sent STOP, at START. */
async function storeStopped(tx: Writer): Promise<void> {
  const times = { createdAt: START, updatedAt: START }
  await tx
    .insertInto('accounts')
    .values({
      sid: HOLDER,
      friendlyName: 'before',
      status: 'active',
      secretHash: 'x',
      secretSealed: 'x',
      phoneRegions: '[]',
      username: '2025550109',
      isAdministrator: 0,
      timezone: 'UTC',
      notify: 0,
      notifyThreshold: 0,
      services: '{"sms":true}',
      authType: 0,
      ...times,
    })
    .execute()
  await storeHeld(tx, TOLL_FREE)
  await tx
    .insertInto('registry_campaigns')
    .values({
      campaignId: CAMPAIGN.campaignId,
      cspId: 'S000001',
      brandId: CAMPAIGN.brandId,
      status: 'ACTIVE',
      usecase: 'MIXED',
      resellerId: 'R000000',
      isMock: 0,
      autoRenewal: 1,
      isInReview: 0,
      record: JSON.stringify({
        details: { optoutKeywords: 'STOP,Alto', helpKeywords: 'HELP,AIUTO' },
      }),
      createdAt: START,
    })
    .execute()
  await storeProvisioned(tx, TOLL_FREE, 0)
  await tx
    .insertInto('message_opt_outs')
    .values({ scope: `campaign:${CAMPAIGN.campaignId}`, recipient: TO, optedOutAt: START })
    .execute()
}

type Fixture = Awaited<ReturnType<typeof messagesFixture>>

async function sendFromHolder({ account, messages }: Fixture, from: string, to = TO) {
  const holder = { ...account, sid: HOLDER as typeof account.sid }
  return await messages.create(holder, { to, from, body: 'Hi', direction: 'outbound-api' })
}

/** Stores what TO said to the number at a time. */
async function storeSaid(tx: Writer, body: string, at: number, to = TOLL_FREE): Promise<void> {
  await tx
    .insertInto('messages')
    .values({
      sid: `SM${String(at).padStart(32, '0')}`,
      accountSid: HOLDER,
      direction: 'inbound',
      fromNumber: TO,
      toNumber: to,
      body,
      segments: 1,
      numMedia: 0,
      status: 'received',
      cost: 0,
      billedSid: HOLDER,
      scope: `campaign:${CAMPAIGN.campaignId}`,
      isKeywordAnswer: 0,
      statusCallbackMethod: 'POST',
      expiresAt: at,
      createdAt: at,
      updatedAt: at,
    })
    .execute()
}

it.each<[string, readonly (readonly [string, number])[], boolean]>([
  ['holds', [], true],
  ['holds when START came before it', [['START', -1]], true],
  ['does not hold when START came after it', [['Start.', 1]], false],
  ['holds when START is a part of what was said', [['start over', 1]], true],
  [
    'holds when another STOP came after START',
    [
      ['START', 1],
      ['Stop!', 2],
    ],
    true,
  ],
  [
    "holds when the campaign's own word came after START",
    [
      ['START', 1],
      ['alto', 2],
    ],
    true,
  ],
  [
    'does not hold when another word came after START',
    [
      ['START', 1],
      ['aiuto', 2],
      ['%', 3],
      ['.', 4],
    ],
    false,
  ],
])('a STOP that an earlier version noted for the campaign of a toll-free number %s', async (_title, said, holds) => {
  await using fixture = await messagesFixture({
    earlier: {
      migration: 'messages/5-media',
      store: async (tx) => {
        await storeStopped(tx)
        for (const [body, after] of said) await storeSaid(tx, body, START + after)
      },
    },
  })
  const sent = sendFromHolder(fixture, TOLL_FREE)
  if (holds) await expect(sent).rejects.toMatchObject({ number: 21610 })
  else expect(await sent).toMatchObject({ status: 'queued' })
})

const LOCAL = ['+12025550121', '+12025550122', '+12025550123'] as const

it.each<[string, readonly string[], readonly string[]]>([
  [
    'holds for the numbers that were told so in another campaign too',
    LOCAL.slice(0, 2),
    LOCAL.slice(0, 2),
  ],
  ['holds for every number of the campaign when no message is left', [], LOCAL],
])('a STOP that an earlier version noted for a campaign %s', async (_title, told, held) => {
  await using fixture = await messagesFixture({
    earlier: {
      migration: 'messages/8-simulated-subjects',
      store: async (tx) => {
        await storeStopped(tx)
        for (const e164 of LOCAL) {
          await storeHeld(tx, e164)
          await storeProvisioned(tx, e164, 1)
        }
        // The first is the campaign's own word, which the time of the opt-out tells.
        for (const [index, e164] of told.entries())
          await storeSaid(tx, index === 0 ? 'Alto' : 'Stop!', START + index, e164)
      },
    },
    maySend: () => Promise.resolve({ isAllowed: true, ...CAMPAIGN, campaignId: 'C000002' }),
  })
  for (const e164 of LOCAL) {
    const sent = sendFromHolder(fixture, e164)
    if (held.includes(e164)) await expect(sent).rejects.toMatchObject({ number: 21610 })
    else expect(await sent).toMatchObject({ status: 'queued' })
  }
})

it('the STOP that an earlier version noted for a number by itself is of its holder', async () => {
  await using fixture = await messagesFixture({
    earlier: {
      migration: 'messages/8-simulated-subjects',
      store: async (tx) => {
        await storeStopped(tx)
        const opted = { recipient: TO, optedOutAt: START }
        await tx
          .insertInto('message_opt_outs')
          .values({ scope: `number:${TOLL_FREE}`, ...opted })
          .execute()
      },
    },
  })
  await expect(sendFromHolder(fixture, TOLL_FREE)).rejects.toMatchObject({ number: 21610 })
})

it('a STOP that an earlier version noted for the campaign of a foreign number holds until START', async () => {
  const foreign = '+493012345678'
  await using fixture = await messagesFixture({
    earlier: {
      migration: 'messages/5-media',
      store: async (tx) => {
        await storeStopped(tx)
        await storeHeld(tx, foreign)
        await storeProvisioned(tx, foreign, 1)
      },
    },
  })
  await expect(sendFromHolder(fixture, foreign)).rejects.toMatchObject({ number: 21610 })
  expect(await sendFromHolder(fixture, foreign, '+13035550143')).toMatchObject({ status: 'queued' })
  const start = { carrier: 'scripted', id: '1', from: TO, to: foreign, body: 'START' }
  await fixture.messages.take(start)
  expect(await sendFromHolder(fixture, foreign)).toMatchObject({ status: 'queued' })
})
