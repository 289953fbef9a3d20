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
