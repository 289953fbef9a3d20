/**
 * PINs with which other carriers may port numbers out: four digits, sealed by the vault. A wrong PIN refuses
 * the port.
 */
import { randomInt } from 'node:crypto'
import type { Reader, Writer } from '../platform/database/database.js'
import { isSameSecret, type Vault } from '../platform/secrets.js'
import { defaultRow } from './number-settings.js'

export const PORT_OUT_PIN = /^[0-9]{4}$/
const FIRST_PIN = 1_000
const AFTER_LAST_PIN = 10_000

/** Returns a random PIN from 1000 to 9999. */
export function newPortOutPin(): string {
  return String(randomInt(FIRST_PIN, AFTER_LAST_PIN))
}

/** Sets the PIN of a held number, by its sid. */
export async function setPortOutPin(
  tx: Writer,
  vault: Pick<Vault, 'seal'>,
  { numberSid, pin }: { readonly numberSid: string; readonly pin: string },
  now: number,
): Promise<void> {
  const changed = { portOutPinSealed: vault.seal(pin), updatedAt: now }
  await tx
    .insertInto('number_settings')
    .values({ ...defaultRow(numberSid), ...changed })
    .onConflict((known) => known.column('numberSid').doUpdateSet(changed))
    .execute()
}

/** Returns the PIN of a held number; undefined when none is set. */
export async function portOutPinOf(
  read: Reader,
  vault: Pick<Vault, 'open'>,
  numberSid: string,
): Promise<string | undefined> {
  const row = await read
    .selectFrom('number_settings')
    .select('portOutPinSealed')
    .where('numberSid', '=', numberSid)
    .executeTakeFirst()
  const sealed = row?.portOutPinSealed ?? undefined
  return sealed === undefined ? undefined : vault.open(sealed)
}

/** True when the number has a PIN and it is this one. */
export async function isPortOutPin(
  read: Reader,
  vault: Pick<Vault, 'open'>,
  { numberSid, pin }: { readonly numberSid: string; readonly pin: string },
): Promise<boolean> {
  const known = await portOutPinOf(read, vault, numberSid)
  return known !== undefined && isSameSecret(pin, known)
}
