import { expect, it } from 'vitest'
import { optOut } from '../../../src/messages/storage/opt-out-storage.js'
import { findHeldNumber, holdNumber, withdrawNumber } from '../../../src/numbers/held-numbers.js'
import type { Writer } from '../../../src/platform/database/database.js'
import { messagesFixture, START, TO } from '../../support/messages/messages-fixture.js'
import { CAMPAIGN } from '../../support/messages/permit-all.js'

const TOLL_FREE = '+18005550101'
const HOLDER = 'AC00000000000000000000000000000001'

/** Stores the holder of the number that was under the campaign when TO sent STOP, at START. */
async function storeStopped(tx: Writer): Promise<void> {
  const times = { created_at: START, updated_at: START }
  await tx
    .insertInto('accounts')
    .values({
      sid: HOLDER,
      friendly_name: 'before',
      status: 'active',
      secret_hash: 'x',
      secret_sealed: 'x',
      phone_regions: '[]',
      username: '2025550109',
      is_administrator: 0,
      timezone: 'UTC',
      notify: 0,
      notify_threshold: 0,
      services: '{}',
      auth_type: 0,
      ...times,
    })
    .execute()
  const sid = 'PN00000000000000000000000000000001'
  const capabilities = { voice: true, sms: true, mms: false, fax: false }
  await holdNumber(tx, { sid, accountSid: HOLDER, e164: TOLL_FREE, capabilities }, START)
  await tx
    .insertInto('registry_campaigns')
    .values({
      campaign_id: CAMPAIGN.campaignId,
      csp_id: 'S000001',
      brand_id: CAMPAIGN.brandId,
      status: 'ACTIVE',
      usecase: 'MIXED',
      reseller_id: 'R000000',
      is_mock: 0,
      auto_renewal: 1,
      is_in_review: 0,
      record: JSON.stringify({
        details: { optoutKeywords: 'STOP,Alto', helpKeywords: 'HELP,AIUTO' },
      }),
      created_at: START,
    })
    .execute()
  await tx
    .insertInto('registry_numbers')
    .values({
      campaign_id: CAMPAIGN.campaignId,
      phone_number: TOLL_FREE,
      nnid: '1',
      provisioned_at: START,
      is_current: 0,
    })
    .execute()
  await optOut(tx, `campaign:${CAMPAIGN.campaignId}`, TO, START)
}

/** Stores what TO said to the number at a time. */
async function storeSaid(tx: Writer, body: string, at: number): Promise<void> {
  await tx
    .insertInto('messages')
    .values({
      sid: `SM${String(at).padStart(32, '0')}`,
      account_sid: HOLDER,
      direction: 'inbound',
      from_number: TO,
      to_number: TOLL_FREE,
      body,
      segments: 1,
      num_media: 0,
      status: 'received',
      cost: 0,
      billed_sid: HOLDER,
      scope: `campaign:${CAMPAIGN.campaignId}`,
      is_keyword_answer: 0,
      status_callback_method: 'POST',
      expires_at: at,
      created_at: at,
      updated_at: at,
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
  // The account of the fixture sends from it now.
  const held = await findHeldNumber(fixture.db.read, TOLL_FREE)
  if (held !== undefined) await fixture.db.write((tx) => withdrawNumber(tx, held, START))
  await fixture.hold(TOLL_FREE, true)
  const sent = fixture.send({ from: TOLL_FREE })
  if (holds) await expect(sent).rejects.toMatchObject({ number: 21610 })
  else expect(await sent).toMatchObject({ status: 'queued' })
})
