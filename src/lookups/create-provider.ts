import { findInInventory } from '../numbers/inventory.js'
import { findNumberWithSettings } from '../numbers/number-settings.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Reader } from '../platform/database/database.js'
import type { Outbound } from '../platform/http/outbound.js'
import type { JsonServer } from '../platform/http/provider-client.js'
import type { LookupProvider, NumberRoute } from './lookup-provider.js'
import { createHttpLookups } from './providers/http-provider.js'
import { withKeptAnswers } from './providers/kept-answers.js'

export interface ProviderDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly outbound: Pick<Outbound, 'request'>
}

/** Maximum length of a name that networks pass on. */
const MAX_NAME = 15

type Place = Pick<NumberRoute, 'city' | 'state' | 'rateCenter' | 'lata'>

/** The provider behind a server, whose answers are kept; the local one where none is named. */
export function createLookupProvider(
  deps: ProviderDeps,
  server: JsonServer | undefined,
): LookupProvider {
  if (server === undefined) return createLocalLookups(deps.db.read)
  return withKeptAnswers(createHttpLookups(deps.outbound, server), deps)
}

/**
 * The default provider of look-ups. It knows the names that accounts of this system have given to their
 * numbers, and the places in the inventory; it asks nobody, so it takes every number as not ported.
 */
function createLocalLookups(read: Reader): LookupProvider {
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
