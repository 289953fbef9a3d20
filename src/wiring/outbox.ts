/** Wires the outbox, and its channel of voice API callbacks, whose requests are recorded in the event log. */
import { endedWithin } from '../platform/async/limit.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import { type Callback, createCallbackChannel } from '../platform/outbox/callback-channel.js'
import { Outbox } from '../platform/outbox/outbox.js'
import { watchClock } from '../platform/watch-clock.js'
import type { ErrorNumber } from '../voice/errors/error-catalogue.js'
import type { Base } from './base.js'

/** Error number: a callback was answered with an error status. */
const CALLBACK_REFUSED = 15003
/** Time limit for callbacks of calls that end with the process, ms. */
const LAST_CALLBACKS_MS = 5_000

/** Creates the outbox without starting it: features open their channels first. */
export function wireOutbox(base: Base): {
  readonly outbox: Outbox
  readonly callbacks: CallbackOutbox
} {
  const { clock, db, disposer, log, random } = base
  const outbox = disposer.use(new Outbox({ db, clock, random, log, node: db.node }))
  // The disposer runs this after the calls have ended.
  disposer.defer(() => endedWithin(outbox.settled(), LAST_CALLBACKS_MS))
  return { outbox, callbacks: outbox.open(callbackChannel(base)) }
}

/** Starts deliveries, and reschedules them when the system clock is changed. */
export function startOutbox({ clock, disposer, log }: Base, outbox: Outbox): void {
  outbox.start()
  const onJump = async (jumpMs: number): Promise<void> => {
    try {
      await outbox.followClock()
    } catch (err) {
      log.error({ err, jumpMs }, 'could not reschedule the outbox after a clock change')
    }
  }
  disposer.use(watchClock({ clock, log, onJump }))
}

function callbackChannel({ webhooks, accounts, events }: Base) {
  const warn = (callback: Callback, code: ErrorNumber, message: string): void => {
    const detail = { code, message, url: callback.url }
    events.append({ ...idsOf(callback), kind: 'warning', detail })
  }
  return createCallbackChannel({
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
    onAttempt: (callback, attempt) => {
      const callStatus = new Map(callback.params).get('CallStatus')
      events.append({ ...idsOf(callback), kind: 'callback', detail: { ...attempt, callStatus } })
      const { status, error } = attempt
      if (error === undefined) return
      if (status === undefined) warn(callback, error.code, error.message)
      else warn(callback, CALLBACK_REFUSED, `the callback's server answered ${status}`)
    },
    onOverrideProblem: (callback, { code, name, value }) => {
      warn(callback, code, `${name}=${value} is out of range, its default is used`)
    },
    onGivenUp: (callback) => {
      const attempts = callback.attempts + 1
      warn(callback, CALLBACK_REFUSED, `the callback was given up after ${attempts} attempts`)
    },
  })
}

function idsOf({ stream, accountSid }: Callback) {
  return { callSid: stream, accountSid }
}
