import type { Writer } from '../platform/database/database.js'

/** Removes the number from its campaign, if it has one; the history stays. */
export async function leaveCampaign(tx: Writer, e164: string): Promise<void> {
  await tx
    .updateTable('registry_numbers')
    .set({ isCurrent: 0 })
    .where('phoneNumber', '=', e164)
    .where('isCurrent', '=', 1)
    .execute()
}

/** Removes the number from its campaign, unless one of these accounts owns the campaign. */
export async function leaveCampaignOfOthers(
  tx: Writer,
  e164: string,
  accountSids: readonly string[],
): Promise<void> {
  await tx
    .updateTable('registry_numbers')
    .set({ isCurrent: 0 })
    .where('phoneNumber', '=', e164)
    .where('isCurrent', '=', 1)
    .where('campaignId', 'not in', (select) =>
      select
        .selectFrom('registry_campaigns')
        .innerJoin('registry_csps', 'registry_csps.cspId', 'registry_campaigns.cspId')
        .select('registry_campaigns.campaignId')
        .where('registry_csps.accountSid', 'in', accountSids),
    )
    .execute()
}
