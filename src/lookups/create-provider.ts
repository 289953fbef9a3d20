import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import type { JsonServer } from '../platform/http/json-client.js'
import type { Outbound } from '../platform/http/outbound.js'
import type { LookupProvider } from './lookup-provider.js'
import { createHttpLookups } from './providers/http-provider.js'
import { withKeptAnswers } from './providers/kept-answers.js'
import { createLocalLookups } from './providers/local-provider.js'

export interface ProviderDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly outbound: Pick<Outbound, 'request'>
}

/** The provider behind a server, whose answers are kept; the local one where none is named. */
export function createLookupProvider(
  deps: ProviderDeps,
  server: JsonServer | undefined,
): LookupProvider {
  if (server === undefined) return createLocalLookups(deps.db.read)
  return withKeptAnswers(createHttpLookups(deps.outbound, server), deps)
}
