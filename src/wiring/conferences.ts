import { systemClock as clock } from '../platform/clock.js'
import type { Logger } from '../platform/log.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import { createConferenceStore } from '../voice/conferences/conference-store.js'
import { type Conferences, createConferences } from '../voice/conferences/conferences.js'
import type { Recordings } from '../voice/recordings/recordings.js'
import type { Base } from './base.js'

export async function wireConferences(
  { db }: Base,
  outbox: CallbackOutbox,
  recorder: Recordings,
  log: Logger,
): Promise<Conferences> {
  const store = createConferenceStore({
    db,
    clock,
    outbox,
  })
  const ended = await store.recover()
  if (ended > 0) log.warn({ ended }, 'recovered unfinished conferences')
  return createConferences({ clock, log, store, recorder })
}
