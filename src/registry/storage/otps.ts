import type { Reader, Writer } from '../../platform/database/database.js'

/** A one-time password that was sent to a sole proprietor's phone. */
export interface Otp {
  readonly referenceId: string
  readonly brandId: string
  readonly cspId: string
  readonly mobilePhone: string
  readonly requestedAt: number
  readonly verifiedAt?: number | undefined
  readonly deliveryStatus?: string | undefined
  readonly deliveryStatusAt?: number | undefined
  readonly deliveryStatusDetails?: string | undefined
  readonly pinSealed: string
  readonly successSms: string
  readonly wrongPins: number
}

export async function insertOtp(tx: Writer, otp: Otp): Promise<void> {
  await tx
    .insertInto('registry_otps')
    .values({
      referenceId: otp.referenceId,
      brandId: otp.brandId,
      cspId: otp.cspId,
      record: JSON.stringify(otp),
      createdAt: otp.requestedAt,
    })
    .execute()
}

export async function saveOtp(tx: Writer, otp: Otp): Promise<void> {
  await tx
    .updateTable('registry_otps')
    .set({ record: JSON.stringify(otp) })
    .where('referenceId', '=', otp.referenceId)
    .execute()
}

export async function findOtp(db: Reader, referenceId: string): Promise<Otp | undefined> {
  const row = await db
    .selectFrom('registry_otps')
    .select('record')
    .where('referenceId', '=', referenceId)
    .executeTakeFirst()
  return row && parse(row)
}

/** The brand's last one-time password. */
export async function latestOtp(db: Reader, brandId: string): Promise<Otp | undefined> {
  const row = await db
    .selectFrom('registry_otps')
    .select('record')
    .where('brandId', '=', brandId)
    .orderBy('createdAt', 'desc')
    .orderBy('referenceId', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && parse(row)
}

/** Counts the one-time passwords of the brand that were requested after that moment. */
export async function countOtpsSince(db: Reader, brandId: string, since: number): Promise<number> {
  const row = await db
    .selectFrom('registry_otps')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('brandId', '=', brandId)
    .where('createdAt', '>', since)
    .executeTakeFirstOrThrow()
  return row.count
}

function parse(row: { readonly record: string }): Otp {
  return JSON.parse(row.record) as Otp // written by `insertOtp` and `saveOtp` only
}
