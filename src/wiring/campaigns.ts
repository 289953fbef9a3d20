/** Adapts the registry's campaigns to the account API and porting. */
import type {
  AccountCampaigns,
  CampaignProblem,
} from '../account-api/messages/account-campaigns.js'
import { RegistryError } from '../registry/model/registry-error.js'
import type { Registry } from '../registry/registry.js'

export function campaignsOf({
  messaging,
  numbers,
}: Pick<Registry, 'messaging' | 'numbers'>): AccountCampaigns {
  return {
    find: (accountSid, ids) => messaging.find(accountSid, ids),
    addBrand: (...brand) => problemOf(() => messaging.addBrand(...brand)),
    addCampaign: (...campaign) => problemOf(() => messaging.addCampaign(...campaign)),
    assign: (accountSid, campaignId, e164) =>
      problemOf(() => numbers.provision(accountSid, campaignId, e164)),
    release: (accountSid, e164) => problemOf(() => numbers.release(accountSid, e164)),
  }
}

/** Resolves with the registry's refusal; rejects with any other error. */
export async function problemOf(
  change: () => Promise<unknown>,
): Promise<CampaignProblem | undefined> {
  try {
    await change()
    return undefined
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error
    const [first] = error.problems
    const reason = error.problems.map(({ description }) => description).join('; ')
    return { code: first?.code ?? 0, reason }
  }
}
