import type { Writer } from '../platform/database/database.js'

/** Takes the number from the campaign that it is under, if there is one; its history stays. */
export async function leaveCampaign(tx: Writer, e164: string): Promise<void> {
  await tx
    .updateTable('registry_numbers')
    .set({ is_current: 0 })
    .where('phone_number', '=', e164)
    .where('is_current', '=', 1)
    .execute()
}

/** Takes the number from the campaign that it is under, unless that is one of these accounts'. */
export async function leaveCampaignOfOthers(
  tx: Writer,
  e164: string,
  accountSids: readonly string[],
): Promise<void> {
  await tx
    .updateTable('registry_numbers')
    .set({ is_current: 0 })
    .where('phone_number', '=', e164)
    .where('is_current', '=', 1)
    .where('campaign_id', 'not in', (select) =>
      select
        .selectFrom('registry_campaigns')
        .innerJoin('registry_csps', 'registry_csps.csp_id', 'registry_campaigns.csp_id')
        .select('registry_campaigns.campaign_id')
        .where('registry_csps.account_sid', 'in', accountSids),
    )
    .execute()
}
