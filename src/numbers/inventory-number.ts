/** A number of the operator's inventory, and what is known of its place. */
import type { Selectable } from '../platform/database/tables.js'
import type { Capabilities } from './held-numbers.js'
import type { NumberKind } from './number-kind.js'
import type { PhoneNumberInventoryTable } from './tables.js'

export type InventoryKind = NumberKind | 'mobile'

export interface InventoryNumber {
  readonly e164: string
  /** The ISO code of the country. */
  readonly country: string
  readonly kind: InventoryKind
  readonly region: string | undefined
  readonly locality: string | undefined
  readonly postalCode: string | undefined
  readonly rateCenter: string | undefined
  readonly lata: string | undefined
  readonly place: Place | undefined
  readonly capabilities: Capabilities
}

/** A number that can be ordered; what is not known of its place is undefined. */
export type OfferedNumber = Pick<
  InventoryNumber,
  'e164' | 'locality' | 'region' | 'rateCenter' | 'lata'
>

/** A point on the earth, in degrees. */
export interface Place {
  readonly latitude: number
  readonly longitude: number
}

const PER_DEGREE = 1_000_000

export const microdegrees = (degrees: number): number => Math.round(degrees * PER_DEGREE)

/** The area code of a North American number. */
export function areaCodeOf(e164: string): string | undefined {
  return /^\+1(\d{3})\d{7}$/.exec(e164)?.[1]
}

export function toInventoryRow(
  number: InventoryNumber,
  importedAt: number,
): Selectable<PhoneNumberInventoryTable> {
  const { place, capabilities } = number
  return {
    phone_number: number.e164,
    country: number.country,
    kind: number.kind,
    area_code: areaCodeOf(number.e164) ?? null,
    region: number.region ?? null,
    locality: number.locality ?? null,
    postal_code: number.postalCode ?? null,
    rate_center: number.rateCenter ?? null,
    lata: number.lata ?? null,
    latitude: place === undefined ? null : microdegrees(place.latitude),
    longitude: place === undefined ? null : microdegrees(place.longitude),
    can_voice: Number(capabilities.voice),
    can_sms: Number(capabilities.sms),
    can_mms: Number(capabilities.mms),
    can_fax: Number(capabilities.fax),
    imported_at: importedAt,
  }
}

export function toInventoryNumber(row: Selectable<PhoneNumberInventoryTable>): InventoryNumber {
  const { latitude, longitude } = row
  return {
    e164: row.phone_number,
    country: row.country,
    kind: row.kind,
    region: row.region ?? undefined,
    locality: row.locality ?? undefined,
    postalCode: row.postal_code ?? undefined,
    rateCenter: row.rate_center ?? undefined,
    lata: row.lata ?? undefined,
    place:
      latitude === null || longitude === null
        ? undefined
        : { latitude: latitude / PER_DEGREE, longitude: longitude / PER_DEGREE },
    capabilities: {
      voice: row.can_voice === 1,
      sms: row.can_sms === 1,
      mms: row.can_mms === 1,
      fax: row.can_fax === 1,
    },
  }
}
