/** A sole proprietor's one-time password: an SMS with a PIN, valid for 24 hours. */
import type { Reader, Writer } from '../../../platform/database/database.js'
import { isSameSecret } from '../../../platform/secrets.js'
import { emit } from '../../events/emit.js'
import { queueMessage } from '../../jobs/messages.js'
import type { Core } from '../../model/core.js'
import { freeRegistryId, newPin } from '../../model/ids.js'
import type { MessageOutcome } from '../../model/ports.js'
import { refuse } from '../../model/registry-error.js'
import { stepIdentity } from '../../rules/brand-identity.js'
import { DAY_MS, HOUR_MS } from '../../rules/calendar.js'
import { mayReceiveOtp } from '../../rules/check-brand.js'
import { type Brand, saveBrand } from '../../storage/brands.js'
import {
  countOtpsSince,
  findOtp,
  insertOtp,
  latestOtp,
  type Otp,
  saveOtp,
} from '../../storage/otps.js'
import { liveBrand } from './brand-facts.js'
import { emitIdentity } from './score-brand.js'

export interface OtpTexts {
  /** The text of the SMS; `@OTP_PIN@` is replaced by the PIN. */
  readonly pinSms: string
  /** The text of the SMS after the correct PIN; empty for none. */
  readonly successSms: string
}

export interface Otps {
  trigger(cspId: string, brandId: string, texts: OtpTexts): Promise<Otp>
  verify(cspId: string, brandId: string, pin: string): Promise<void>
  status(cspId: string, referenceId: string): Promise<Otp>
}

const PLACE = '@OTP_PIN@'

export function createOtps(core: Core): Otps {
  return {
    trigger: (cspId, brandId, texts) =>
      core.commit((tx) => trigger(core, tx, { cspId, brandId }, texts)),
    verify: async (cspId, brandId, pin) => {
      // The failed attempt is stored: throwing inside the transaction would roll it back.
      const verdict = await core.commit((tx) => verify(core, tx, { cspId, brandId }, pin))
      if (verdict === 'too-often')
        throw refuse(557, ['otpPin'], 'too many wrong PINs: request another one')
      if (verdict === 'wrong') throw refuse(552, ['otpPin'], 'the PIN is wrong or has expired')
    },
    status: async (cspId, referenceId) => {
      const otp = await findOtp(core.db.read, referenceId)
      if (otp?.cspId !== cspId)
        throw refuse(502, ['referenceId'], `there is no one-time password ${referenceId}`)
      return otp
    },
  }
}

interface BrandOfCsp {
  readonly cspId: string
  readonly brandId: string
}

async function otpBrand(tx: Reader, { cspId, brandId }: BrandOfCsp): Promise<Brand> {
  const brand = await liveBrand(tx, cspId, brandId)
  if (brand.details.entityType !== 'SOLE_PROPRIETOR')
    throw refuse(592, ['brandId'], 'one-time passwords are for sole proprietors')
  if (brand.mobilePhoneVerifiedAt !== undefined)
    throw refuse(506, ['brandId'], 'the brand is verified already')
  return brand
}

async function trigger(
  core: Core,
  tx: Writer,
  of: BrandOfCsp,
  { pinSms, successSms }: OtpTexts,
): Promise<Otp> {
  const brand = await otpBrand(tx, of)
  const { mobilePhone } = brand.details
  if (mobilePhone === undefined || !mayReceiveOtp(mobilePhone))
    throw refuse(551, ['mobilePhone'], 'one-time passwords go to mobiles of the US and Canada')
  if (!pinSms.includes(PLACE)) throw refuse(501, ['pinSms'], `pinSms must contain ${PLACE}`)
  const now = core.clock.now()
  const recent = await countOtpsSince(tx, of.brandId, now - DAY_MS)
  const max = core.tables.limits.otpPerDay
  if (recent >= max) throw refuse(557, ['brandId'], `at most ${max} in 24 hours`)
  const isTaken = async (id: string) => (await findOtp(tx, id)) !== undefined
  const pin = newPin()
  const otp: Otp = {
    referenceId: await freeRegistryId('OTP', isTaken, 7),
    ...of,
    mobilePhone,
    requestedAt: now,
    pinSealed: core.vault.seal(pin),
    successSms,
    wrongPins: 0,
  }
  await insertOtp(tx, otp)
  if (brand.isMock) {
    const { cspId } = of
    await emit(core, tx, { type: 'BRAND_MOCK_OTP', cspId, brand, extra: { otpPin: pin } })
  } else {
    const text = pinSms.replaceAll(PLACE, pin)
    await queueMessage(core, tx, sms(mobilePhone, text, otp.referenceId))
  }
  return otp
}

function sms(recipient: string, text: string, reference: string) {
  return { kind: 'sms' as const, recipient, subject: '', text, reference }
}

async function verify(
  core: Core,
  tx: Writer,
  of: BrandOfCsp,
  pin: string,
): Promise<'right' | 'wrong' | 'too-often'> {
  const brand = await otpBrand(tx, of)
  const otp = await latestOtp(tx, of.brandId)
  const { limits } = core.tables
  const now = core.clock.now()
  if (otp === undefined || now >= otp.requestedAt + limits.otpHours * HOUR_MS) return 'wrong'
  if (otp.wrongPins >= limits.otpWrongAttempts) return 'too-often'
  // A PIN sent to another phone does not verify this one.
  const isSamePhone = otp.mobilePhone === brand.details.mobilePhone
  if (!isSamePhone || !isSameSecret(pin, core.vault.open(otp.pinSealed))) {
    await saveOtp(tx, { ...otp, wrongPins: otp.wrongPins + 1 })
    return 'wrong'
  }
  await saveOtp(tx, { ...otp, verifiedAt: now })
  const identity = stepIdentity(brand, { type: 'phone-verified' })
  const verified: Brand = { ...brand, ...identity, mobilePhoneVerifiedAt: now }
  await saveBrand(tx, verified)
  await emit(core, tx, { type: 'BRAND_OTP_VERIFIED', cspId: of.cspId, brand: verified })
  await emitIdentity(core, tx, verified)
  if (!brand.isMock && otp.successSms !== '')
    await queueMessage(core, tx, sms(otp.mobilePhone, otp.successSms, otp.referenceId))
  return 'right'
}

/** Stores the outcome of the SMS with the PIN. */
export async function noteOtpDelivery(
  core: Core,
  tx: Writer,
  referenceId: string,
  outcome: MessageOutcome,
): Promise<void> {
  const otp = await findOtp(tx, referenceId)
  if (otp?.deliveryStatus !== undefined || otp === undefined) return
  await saveOtp(tx, {
    ...otp,
    deliveryStatus: outcome.deliveryStatus,
    deliveryStatusAt: core.clock.now(),
    deliveryStatusDetails: outcome.details,
  })
}
