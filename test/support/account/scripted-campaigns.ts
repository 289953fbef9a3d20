import type {
  AccountCampaigns,
  CampaignProblem,
} from '../../../src/account-api/messages/account-campaigns.js'

/** The campaign of test accounts, and its brand. */
export const CAMPAIGN_ID = 'C123ABC'
export const BRAND_ID = 'B123ABC'

/** A registry with one campaign; `numbers` are those assigned to it, in E.164. */
export function createScriptedCampaigns(): AccountCampaigns & { readonly numbers: Set<string> } {
  const numbers = new Set<string>()
  const unknown: CampaignProblem = { code: 502, reason: 'there is no such record' }
  const judged = (isKnown: boolean) => Promise.resolve(isKnown ? undefined : unknown)
  return {
    numbers,
    find: (_accountSid, ids) =>
      Promise.resolve(
        ids
          .filter((id) => id === CAMPAIGN_ID)
          .map((campaignId) => ({
            campaignId,
            brandId: BRAND_ID,
            status: 'CAMPAIGN_DCA_COMPLETE',
            numbers: [...numbers],
            upstreamCnpId: 'TWILO',
            registered: undefined,
          })),
      ),
    addBrand: (_accountSid, { brandId }) => judged(brandId === BRAND_ID),
    addCampaign: (_accountSid, { campaignId }) => judged(campaignId === CAMPAIGN_ID),
    assign: (_accountSid, campaignId, e164) => {
      if (campaignId === CAMPAIGN_ID) numbers.add(e164)
      return judged(campaignId === CAMPAIGN_ID)
    },
    release: (_accountSid, e164) => judged(numbers.delete(e164)),
  }
}
