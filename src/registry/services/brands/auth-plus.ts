/**
 * Authentication+: a public company's business contact confirms by mail. Domain check → mail with a
 * link and a PIN (7 days) → the contact opens the link and enters PIN, name and title. 30 days in
 * all.
 */
import { randomBytes } from 'node:crypto'
import type { Writer } from '../../../platform/database/database.js'
import { sha256Hex } from '../../../platform/secrets.js'
import { emit } from '../../events/emit.js'
import { cancelJobs, type JobHandler, schedule } from '../../jobs/jobs.js'
import { queueMessage } from '../../jobs/messages.js'
import type { Core } from '../../model/core.js'
import { newPin } from '../../model/ids.js'
import { refuse } from '../../model/registry-error.js'
import { isVerified, stepIdentity } from '../../rules/brand-identity.js'
import { DAY_MS, HOUR_MS } from '../../rules/calendar.js'
import { isSameOrganisation } from '../../rules/mail.js'
import { type Brand, findBrand, saveBrand } from '../../storage/brands.js'
import { deleteConfirmations, replaceConfirmation } from '../../storage/confirmations.js'
import { liveBrand } from './brand-facts.js'

/** The address of the mail's link, before its token; the wiring sets it. */
export interface AuthPlusLinks {
  confirmUrl(token: string): string
}

/** The scheduled jobs of Authentication+. */
const JOBS = ['send-auth-plus-mail', 'expire-auth-plus-mail', 'expire-auth-plus']

/** Restarts Authentication+, unless the brand has passed it. */
export async function startAuthPlus(core: Core, tx: Writer, brand: Brand): Promise<Brand> {
  if (brand.businessContactEmailVerifiedAt !== undefined) return brand
  const isAgain = brand.authPlus !== undefined
  const now = core.clock.now()
  const { cspId, brandId } = brand
  const say = (type: string) => emit(core, tx, { type, cspId, brand })
  await say(isAgain ? 'BRAND_AUTHPLUS_RE_VERIFICATION_ADD' : 'BRAND_AUTHPLUS_VERIFICATION_ADD')
  await cancelJobs(tx, 'expire-auth-plus', brandId)
  const { businessContactEmail = '', website = '' } = brand.details
  const started = { startedAt: now, wrongPins: 0, isOpened: false }
  if (!isSameOrganisation(businessContactEmail, website)) {
    const failed: Brand = { ...brand, authPlus: { ...started, state: 'failed' } }
    await saveBrand(tx, failed)
    await say('BRAND_AUTHPLUS_DOMAIN_FAILED')
    await say('BRAND_AUTHPLUS_VERIFICATION_FAILED')
    return failed
  }
  const pending: Brand = { ...brand, authPlus: { ...started, state: 'none' } }
  await saveBrand(tx, pending)
  await say('BRAND_AUTHPLUS_DOMAIN_VERIFIED')
  const until = now + core.tables.limits.authPlusDays * DAY_MS
  await schedule(tx, 'expire-auth-plus', brandId, until)
  await schedule(tx, 'send-auth-plus-mail', brandId, now)
  return pending
}

/**
 * Revokes Authentication+: the mailed link, its time limit, and the contact's confirmation. A
 * verified public company restarts at once; an unverified one restarts when it is verified.
 */
export async function revokeAuthPlus(core: Core, tx: Writer, brand: Brand): Promise<Brand> {
  const { brandId, authPlus, details } = brand
  const revoked: Brand = {
    ...brand,
    authPlus: authPlus && { ...authPlus, state: 'none' },
    businessContactEmailVerifiedAt: undefined,
    businessContactTitle: undefined,
    businessContactFirstName: undefined,
    businessContactLastName: undefined,
  }
  await saveBrand(tx, revoked)
  await deleteConfirmations(tx, brandId)
  for (const kind of JOBS) await cancelJobs(tx, kind, brandId)
  const isNeeded = isVerified(brand) && details.entityType === 'PUBLIC_PROFIT'
  return isNeeded ? startAuthPlus(core, tx, revoked) : revoked
}

/** Creates the PIN and the link, and queues the mail with both. */
export function sendAuthPlusMailJob(core: Core, links: AuthPlusLinks): JobHandler {
  return {
    type: 'commit',
    run: async (tx, job) => {
      const brand = await findBrand(tx, job.subject)
      if (brand?.status !== 'ACTIVE' || brand.authPlus === undefined) return
      if (!['none', 'mail-sent'].includes(brand.authPlus.state)) return
      await sendMail(core, tx, brand, links)
    },
  }
}

async function sendMail(core: Core, tx: Writer, brand: Brand, links: AuthPlusLinks): Promise<void> {
  const { authPlus, brandId, cspId } = brand
  if (authPlus === undefined) return
  const now = core.clock.now()
  const token = randomBytes(24).toString('hex')
  const pin = newPin()
  await replaceConfirmation(tx, brandId, sha256Hex(token))
  const sent: Brand = {
    ...brand,
    authPlus: {
      ...authPlus,
      state: 'mail-sent',
      mailSentAt: now,
      pinHash: sha256Hex(`${token}:${pin}`),
      tokenHash: sha256Hex(token),
      wrongPins: 0,
      isOpened: false,
    },
  }
  await saveBrand(tx, sent)
  await queueMessage(core, tx, {
    kind: 'mail',
    recipient: brand.details.businessContactEmail ?? '',
    subject: `Confirm ${brand.details.displayName}`,
    text: [
      `${brand.details.displayName} names you as its business contact for text messaging.`,
      `Open ${links.confirmUrl(token)} and enter the PIN ${pin}.`,
      `The link is valid for ${core.tables.limits.authPlusMailDays} days.`,
      'If you know nothing of this, ignore this message.',
    ].join('\n'),
    reference: brandId,
  })
  await cancelJobs(tx, 'expire-auth-plus-mail', brandId)
  const until = now + core.tables.limits.authPlusMailDays * DAY_MS
  await schedule(tx, 'expire-auth-plus-mail', brandId, until)
  await emit(core, tx, { type: 'BRAND_EMAIL_2FA_SEND', cspId, brand: sent })
}

/** The job that expires the mailed link after 7 days; another mail may be sent. */
export function expireAuthPlusMailJob(core: Core): JobHandler {
  return {
    type: 'commit',
    run: async (tx, job) => {
      const brand = await findBrand(tx, job.subject)
      if (brand?.status !== 'ACTIVE' || brand.authPlus?.state !== 'mail-sent') return
      await deleteConfirmations(tx, brand.brandId)
      await emit(core, tx, { type: 'BRAND_EMAIL_2FA_EXPIRED', cspId: brand.cspId, brand })
    },
  }
}

/** The job that makes the brand unverified after 30 days without a confirmation. */
export function expireAuthPlusJob(core: Core): JobHandler {
  return {
    type: 'commit',
    run: async (tx, job) => {
      const brand = await findBrand(tx, job.subject)
      if (brand?.status !== 'ACTIVE' || brand.authPlus === undefined) return
      if (brand.authPlus.state === 'complete') return
      await deleteConfirmations(tx, brand.brandId)
      const expired: Brand = {
        ...brand,
        ...stepIdentity(brand, { type: 'contact-expired' }),
        authPlus: { ...brand.authPlus, state: 'expired' },
      }
      await saveBrand(tx, expired)
      const { cspId } = brand
      await emit(core, tx, { type: 'BRAND_AUTHPLUS_VERIFICATION_EXPIRED', cspId, brand: expired })
      const extra = { brandIdentityStatus: expired.identityStatus }
      await emit(core, tx, {
        type: 'BRAND_IDENTITY_STATUS_UPDATE',
        cspId,
        brand: expired,
        extra,
      })
    },
  }
}

/**
 * Sends the mail again. 592 when the brand has passed; 565 when there is no mail to repeat, or the
 * last one is too recent.
 */
export async function resendAuthPlusMail(
  core: Core,
  tx: Writer,
  cspId: string,
  brandId: string,
): Promise<void> {
  const brand = await liveBrand(tx, cspId, brandId)
  if (brand.businessContactEmailVerifiedAt !== undefined)
    throw refuse(592, ['brandId'], 'the business contact has confirmed already')
  const { authPlus } = brand
  if (authPlus?.state !== 'mail-sent')
    throw refuse(565, ['brandId'], 'there is no mail to send again')
  const hours = core.tables.limits.authPlusResendHours
  if (core.clock.now() < (authPlus.mailSentAt ?? 0) + hours * HOUR_MS)
    throw refuse(565, ['brandId'], `the mail can be sent again once every ${hours} hours`)
  await schedule(tx, 'send-auth-plus-mail', brandId, core.clock.now())
  // Stored so that a second request does not schedule a second mail.
  await saveBrand(tx, { ...brand, authPlus: { ...authPlus, mailSentAt: core.clock.now() } })
}
