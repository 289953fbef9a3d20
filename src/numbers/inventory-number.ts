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
    phoneNumber: number.e164,
    country: number.country,
    kind: number.kind,
    areaCode: areaCodeOf(number.e164) ?? null,
    region: number.region ?? null,
    locality: number.locality ?? null,
    postalCode: number.postalCode ?? null,
    rateCenter: number.rateCenter ?? null,
    lata: number.lata ?? null,
    latitude: place === undefined ? null : microdegrees(place.latitude),
    longitude: place === undefined ? null : microdegrees(place.longitude),
    canVoice: Number(capabilities.voice),
    canSms: Number(capabilities.sms),
    canMms: Number(capabilities.mms),
    canFax: Number(capabilities.fax),
    importedAt,
  }
}

export function toInventoryNumber(row: Selectable<PhoneNumberInventoryTable>): InventoryNumber {
  const { latitude, longitude } = row
  return {
    e164: row.phoneNumber,
    country: row.country,
    kind: row.kind,
    region: row.region ?? undefined,
    locality: row.locality ?? undefined,
    postalCode: row.postalCode ?? undefined,
    rateCenter: row.rateCenter ?? undefined,
    lata: row.lata ?? undefined,
    place:
      latitude === null || longitude === null
        ? undefined
        : { latitude: latitude / PER_DEGREE, longitude: longitude / PER_DEGREE },
    capabilities: {
      voice: row.canVoice === 1,
      sms: row.canSms === 1,
      mms: row.canMms === 1,
      fax: row.canFax === 1,
    },
  }
}
