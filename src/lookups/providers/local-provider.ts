/**
 * The default provider of look-ups. It knows the names that accounts of this system have given to their
 * numbers, and the places in the inventory; it asks nobody, so it takes every number as not ported.
 */
import { findInInventory } from '../../numbers/inventory.js'
import { findNumberWithSettings } from '../../numbers/number-settings.js'
import type { Reader } from '../../platform/database/database.js'
import type { LookupProvider, NumberRoute } from '../lookup-provider.js'

/** The longest name that a network passes on. */
const MAX_NAME = 15

export function createLocalLookups(read: Reader): LookupProvider {
  return {
    callerName: async (number) => {
      const known = await findNumberWithSettings(read, number)
      if (known?.settings.callerName !== undefined) return known.settings.callerName
      const { city, state } = await placeOf(read, number)
      const place = `${city} ${state}`.trim().toUpperCase().slice(0, MAX_NAME)
      return place === '' ? undefined : place
    },
    route: async (destination, caller) =>
      routeBetween(destination, await placeOf(read, destination), await placeOf(read, caller)),
  }
}

type Place = Pick<NumberRoute, 'city' | 'state' | 'rateCenter' | 'lata'>

function routeBetween(destination: string, to: Place, from: Place): NumberRoute {
  const isKnown = to.state !== '' && from.state !== ''
  const isLocal = to.rateCenter !== '' && to.rateCenter === from.rateCenter
  return {
    ...to,
    lrn: destination.replace(/^\+1/, ''),
    ocn: '',
    lec: '',
    lecType: '',
    local: isLocal && to.state === from.state ? 'Y' : 'N',
    jurisdiction: isKnown
      ? to.state === from.state
        ? 'INTRASTATE'
        : 'INTERSTATE'
      : 'INDETERMINATE',
  }
}

async function placeOf(read: Reader, number: string): Promise<Place> {
  const known = await findInInventory(read, number)
  return {
    city: known?.locality ?? '',
    state: known?.region ?? '',
    rateCenter: known?.rateCenter ?? '',
    lata: known?.lata ?? '',
  }
}
