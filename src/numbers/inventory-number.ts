/** A number of the operator's inventory, with its place. */
import { columnsOf, fieldsOf } from '../platform/database/fields.js'
import type { Selectable } from '../platform/database/tables.js'
import { type Capabilities, capabilitiesOf, capabilityColumns } from './held-numbers.js'
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

/** A number that can be ordered; unknown fields of its place are undefined. */
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
  { e164: phoneNumber, place, capabilities, ...number }: InventoryNumber,
  importedAt: number,
): Selectable<PhoneNumberInventoryTable> {
  return columnsOf(number, {
    phoneNumber,
    areaCode: areaCodeOf(phoneNumber) ?? null,
    latitude: place === undefined ? null : microdegrees(place.latitude),
    longitude: place === undefined ? null : microdegrees(place.longitude),
    ...capabilityColumns(capabilities),
    importedAt,
  })
}

export function toInventoryNumber(row: Selectable<PhoneNumberInventoryTable>): InventoryNumber {
  const { phoneNumber: e164, latitude, longitude, ...others } = row
  const { country, kind, region, locality, postalCode, rateCenter, lata } = others
  return fieldsOf(
    { country, kind, region, locality, postalCode, rateCenter, lata },
    {
      e164,
      place:
        latitude === null || longitude === null
          ? undefined
          : { latitude: latitude / PER_DEGREE, longitude: longitude / PER_DEGREE },
      capabilities: capabilitiesOf(row),
    },
  )
}
