/** Wires messaging: the service behind every API that sends messages, and its carrier. */
import { createMessages, type Messages } from '../messages/messages.js'
import { createSimulatedCarrier } from '../messages/simulator/simulated-carrier.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import type { Registry } from '../registry/registry.js'
import type { Base } from './base.js'
import type { Billing } from './ledger.js'

export interface MessageParts {
  readonly outbox: Outbox
  readonly callbacks: CallbackOutbox
}

/** Makes the messages without starting them; their channel opens before the outbox starts. */
export function wireMessages(
  base: Base,
  parts: MessageParts,
  { ledger }: Pick<Billing, 'ledger'>,
  { maySend }: Pick<Registry, 'maySend'>,
): Messages {
  const { clock, db, disposer, log } = base
  const carrier = disposer.use(createSimulatedCarrier({ db, clock, log }))
  const messages = disposer.use(
    createMessages({ db, clock, log, carrier, ledger, maySend, ...parts }),
  )
  return {
    ...messages,
    start: () => {
      messages.start()
      carrier.start(messages)
    },
  }
}
