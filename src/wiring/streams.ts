/** Customers' media streams: made before the calls, so that they end after them. */
import { systemClock as clock } from '../platform/clock.js'
import type { Disposer } from '../platform/disposer.js'
import type { Logger } from '../platform/log.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import { createStreams, type Streams } from '../voice/streams/streams.js'
import type { Base } from './base.js'

export async function wireStreams(
  base: Base,
  outbox: CallbackOutbox,
  log: Logger,
  disposer: Disposer,
): Promise<Streams> {
  const { config, db, events, accounts, outbound } = base
  const streams = disposer.use(
    createStreams({
      db,
      clock,
      log,
      events,
      accounts,
      outbound,
      outbox,
      signatureHeaders: config.signatureHeaders,
    }),
  )
  const left = await streams.finishLeft()
  if (left > 0) log.warn({ left }, 'streams that an earlier process left were ended')
  return streams
}
