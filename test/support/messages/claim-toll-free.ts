import type twilio from 'twilio'
import { expect } from 'vitest'
import type { RunningTrunkline } from '../process/trunkline.js'

/** Adds a toll-free number to the inventory and claims it: such numbers send without a campaign. */
export async function claimTollFree(
  { admin, adminToken }: RunningTrunkline,
  client: ReturnType<typeof twilio>,
  phoneNumber: string,
): Promise<void> {
  const stocked = await fetch(`${admin}/inventory/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'text/csv' },
    body: `number,type,country,sms,mms\n${phoneNumber},toll-free,US,yes,yes\n`,
  })
  expect(await stocked.json()).toMatchObject({ added: 1, refused: 0 })
  await client.incomingPhoneNumbers.create({ phoneNumber })
}
