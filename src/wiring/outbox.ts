/** Callbacks: written with the change that they report, delivered beside it, seen in the event log. */
import { systemClock as clock } from '../platform/clock.js'
import type { Disposer } from '../platform/disposer.js'
import type { Logger } from '../platform/log.js'
import { createDeliverer } from '../platform/outbox/deliver-notification.js'
import { Outbox } from '../platform/outbox/outbox.js'
import { startOutboxRetention } from '../platform/outbox/outbox-retention.js'
import type { OutboxRow } from '../platform/outbox/outbox-row.js'
import type { ErrorNumber } from '../voice/errors/error-catalogue.js'
import type { Base } from './base.js'

/** A callback's server answered, but not that it took it. */
const CALLBACK_REFUSED = 15003

/** Not started yet: what an earlier process left joins first. */
export function wireOutbox(base: Base, log: Logger, disposer: Disposer): Outbox {
  const { db, store, webhooks, accounts, events } = base
  const warn = (row: OutboxRow, code: ErrorNumber, message: string): void => {
    events.append({ ...idsOf(row), kind: 'warning', detail: { code, message, url: row.url } })
  }
  const deliver = createDeliverer({
    webhooks,
    signingOf: async (accountSid) => {
      const account = await accounts.find(accountSid)
      return (
        account && {
          authToken: account.secret,
          secondHeader: account.settings.secondSignatureHeader,
        }
      )
    },
    onAttempt: (row, attempt) => {
      const callStatus = new Map(row.params).get('CallStatus')
      events.append({ ...idsOf(row), kind: 'callback', detail: { ...attempt, callStatus } })
      const { status, error } = attempt
      if (error === undefined) return
      if (status === undefined) warn(row, error.code, error.message)
      else warn(row, CALLBACK_REFUSED, `the callback's server answered ${status}`)
    },
    onOverrideProblem: (row, { code, name, value }) => {
      warn(row, code, `${name}=${value} is out of range, its default is used`)
    },
  })
  const onGivenUp = (row: OutboxRow): void => {
    warn(row, CALLBACK_REFUSED, `the callback was given up after ${row.attempts + 1} attempts`)
  }
  disposer.use(startOutboxRetention({ db, clock, log }))
  return disposer.use(new Outbox({ store, deliver, clock, random: Math.random, log, onGivenUp }))
}

function idsOf({ stream, accountSid }: OutboxRow) {
  return { callSid: stream, accountSid }
}
