/** The business contact's side of Authentication+: opens the link, enters PIN, name and title. */
import type { Reader, Writer } from '../../../platform/database/database.js'
import { isSameSecret, sha256Hex } from '../../../platform/secrets.js'
import { emit } from '../../events/emit.js'
import { cancelJobs } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import { DAY_MS } from '../../rules/calendar.js'
import { type Brand, findBrand, saveBrand } from '../../storage/brands.js'
import { deleteConfirmations, findConfirmation } from '../../storage/confirmations.js'

export interface ContactAnswer {
  readonly pin: string
  readonly firstName: string
  readonly lastName: string
  readonly title: string
}

export interface ContactConfirmation {
  /** Resolves with the brand's name for the page; undefined when the link is unknown or expired. */
  open(token: string): Promise<string | undefined>
  answer(token: string, answer: ContactAnswer): Promise<'confirmed' | 'wrong-pin' | 'dead-link'>
}

export function createContactConfirmation(core: Core): ContactConfirmation {
  return {
    open: (token) =>
      core.commit(async (tx) => {
        const brand = await brandOf(core, tx, token)
        if (brand?.authPlus === undefined) return undefined
        if (!brand.authPlus.isOpened) {
          const opened: Brand = { ...brand, authPlus: { ...brand.authPlus, isOpened: true } }
          await saveBrand(tx, opened)
          await emit(core, tx, {
            type: 'BRAND_EMAIL_2FA_OPEN',
            cspId: brand.cspId,
            brand: opened,
          })
        }
        return brand.details.displayName
      }),
    answer: (token, answer) => core.commit((tx) => judge(core, tx, token, answer)),
  }
}

async function brandOf(core: Core, db: Reader, token: string): Promise<Brand | undefined> {
  const brandId = await findConfirmation(db, sha256Hex(token))
  const brand = brandId === undefined ? undefined : await findBrand(db, brandId)
  if (brand?.status !== 'ACTIVE' || brand.authPlus?.state !== 'mail-sent') return undefined
  const { mailSentAt = 0 } = brand.authPlus
  const isInTime = core.clock.now() < mailSentAt + core.tables.limits.authPlusMailDays * DAY_MS
  return isInTime ? brand : undefined
}

async function judge(core: Core, tx: Writer, token: string, answer: ContactAnswer) {
  const brand = await brandOf(core, tx, token)
  const { authPlus } = brand ?? {}
  if (brand === undefined || authPlus === undefined) return 'dead-link'
  const isRight = isSameSecret(sha256Hex(`${token}:${answer.pin}`), authPlus.pinHash ?? '')
  if (!isRight) return wrongPin(core, tx, brand)
  const { brandId, cspId } = brand
  const confirmed: Brand = {
    ...brand,
    authPlus: { ...authPlus, state: 'complete' },
    businessContactEmailVerifiedAt: core.clock.now(),
    businessContactFirstName: answer.firstName,
    businessContactLastName: answer.lastName,
    businessContactTitle: answer.title,
  }
  await saveBrand(tx, confirmed)
  await deleteConfirmations(tx, brandId)
  await cancelJobs(tx, 'expire-auth-plus', brandId)
  await cancelJobs(tx, 'expire-auth-plus-mail', brandId)
  for (const type of ['BRAND_AUTHPLUS_2FA_VERIFIED', 'BRAND_AUTHPLUS_VERIFICATION_COMPLETE'])
    await emit(core, tx, { type, cspId, brand: confirmed })
  return 'confirmed'
}

async function wrongPin(core: Core, tx: Writer, brand: Brand) {
  const { authPlus, cspId, brandId } = brand
  if (authPlus === undefined) return 'dead-link'
  const wrongPins = authPlus.wrongPins + 1
  const isOver = wrongPins >= core.tables.limits.authPlusWrongAttempts
  const next: Brand = {
    ...brand,
    authPlus: { ...authPlus, wrongPins, state: isOver ? 'failed' : authPlus.state },
  }
  await saveBrand(tx, next)
  if (!isOver) return 'wrong-pin'
  await deleteConfirmations(tx, brandId)
  for (const type of ['BRAND_AUTHPLUS_2FA_FAILED', 'BRAND_AUTHPLUS_VERIFICATION_FAILED'])
    await emit(core, tx, { type, cspId, brand: next })
  return 'dead-link'
}
