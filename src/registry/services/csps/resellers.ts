import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { Reader } from '../../../platform/database/database.js'
import type { Core } from '../../model/core.js'
import { freeRegistryId } from '../../model/ids.js'
import { problem, refuse, throwIfAny } from '../../model/registry-error.js'
import { NO_RESELLER } from '../../rules/campaign.js'
import { mailDomain } from '../../rules/mail.js'
import { hasCampaignOfReseller } from '../../storage/campaigns.js'
import {
  deleteReseller,
  findReseller,
  insertReseller,
  isCompanyTaken,
  listResellers,
  type Reseller,
  saveReseller,
} from '../../storage/resellers.js'

export type ResellerDetails = Omit<Reseller, 'resellerId' | 'cspId'>

export interface Resellers {
  create(cspId: string, details: ResellerDetails): Promise<Reseller>
  find(cspId: string, resellerId: string): Promise<Reseller>
  update(cspId: string, resellerId: string, details: ResellerDetails): Promise<Reseller>
  /** Removes a reseller; RegistryError 592 while a campaign uses it. */
  remove(cspId: string, resellerId: string): Promise<void>
  list(
    cspId: string,
    companyName: string | undefined,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ items: Reseller[]; total: number }>
}

export function createResellers(core: Core): Resellers {
  const { db } = core
  const own = async (from: Reader, cspId: string, resellerId: string): Promise<Reseller> => {
    const reseller = await findReseller(from, resellerId)
    if (reseller?.cspId !== cspId)
      throw refuse(502, ['resellerId'], `there is no reseller ${resellerId}`)
    return reseller
  }
  const checkUnique = async (from: Reader, cspId: string, name: string, except?: string) => {
    if (await isCompanyTaken(from, cspId, name, except))
      throw refuse(503, ['companyName'], 'another reseller has this companyName')
  }
  return {
    create: (cspId, details) =>
      db.write(async (tx) => {
        check(details)
        await checkUnique(tx, cspId, details.companyName)
        const isTaken = async (id: string) =>
          id === NO_RESELLER || (await findReseller(tx, id)) !== undefined
        const reseller = { resellerId: await freeRegistryId('R', isTaken), cspId, ...details }
        await insertReseller(tx, reseller, core.clock.now())
        return reseller
      }),
    find: (cspId, resellerId) => own(db.read, cspId, resellerId),
    update: (cspId, resellerId, details) =>
      db.write(async (tx) => {
        const reseller = await own(tx, cspId, resellerId)
        check(details)
        await checkUnique(tx, cspId, details.companyName, resellerId)
        const next = { ...reseller, ...details }
        await saveReseller(tx, next)
        return next
      }),
    remove: (cspId, resellerId) =>
      db.write(async (tx) => {
        await own(tx, cspId, resellerId)
        if (await hasCampaignOfReseller(tx, cspId, resellerId))
          throw refuse(592, ['resellerId'], 'campaigns use the reseller')
        await deleteReseller(tx, resellerId)
      }),
    list: (cspId, companyName, page) => listResellers(db.read, cspId, companyName, page),
  }
}

function check({ companyName, phone, email }: ResellerDetails): void {
  const isPhone =
    /^\+[1-9]\d{4,14}$/.test(phone) && parsePhoneNumberFromString(phone)?.isPossible() === true
  const isNamed = companyName.trim() !== ''
  throwIfAny([
    ...(isNamed ? [] : [problem(501, ['companyName'], 'companyName is blank')]),
    ...(isPhone ? [] : [problem(501, ['phone'], 'phone is not an E.164 number')]),
    ...(mailDomain(email) === undefined
      ? [problem(501, ['email'], 'email is not an e-mail address')]
      : []),
  ])
}
