import type { Reader } from '../../../platform/database/database.js'
import { refuse } from '../../model/registry-error.js'
import { type Brand, findBrand } from '../../storage/brands.js'
import { activeCampaignsOf } from '../../storage/campaigns.js'
import type { Csp } from '../../storage/csps.js'

/** The CSP's own brand; RegistryError 502 when it is missing or belongs to another CSP. */
export async function ownBrand(db: Reader, cspId: string, brandId: string): Promise<Brand> {
  const brand = await findBrand(db, brandId)
  if (brand?.cspId !== cspId) throw refuse(502, ['brandId'], `there is no brand ${brandId}`)
  return brand
}

/** The CSP's own brand; RegistryError 502 when it is missing or deleted. */
export async function liveBrand(db: Reader, cspId: string, brandId: string): Promise<Brand> {
  const brand = await ownBrand(db, cspId, brandId)
  if (brand.status === 'DELETED') throw refuse(502, ['brandId'], `brand ${brandId} is deleted`)
  return brand
}

/**
 * The brand that registry support set up for the platform free trial; it usually belongs to another
 * CSP.
 */
export async function freeTrialBrand(db: Reader, csp: Csp): Promise<Brand> {
  const granted = csp.platformFreeTrialEnabled ? csp.freeTrialBrandId : undefined
  const brand = granted === undefined ? undefined : await findBrand(db, granted)
  if (brand?.status !== 'ACTIVE')
    throw refuse(502, [], 'no brand is provisioned for the platform free trial')
  return brand
}

export async function countActiveCampaigns(db: Reader, brandId: string): Promise<number> {
  return (await activeCampaignsOf(db, brandId)).length
}
