/**
 * Wires the outbox and the channel of the voice API's callbacks, whose requests go to the event
 * log.
 */
import { endedWithin } from '../platform/async/limit.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import { type Callback, createCallbackChannel } from '../platform/outbox/callback-channel.js'
import { Outbox } from '../platform/outbox/outbox.js'
import { watchClock } from '../platform/watch-clock.js'
import type { ErrorNumber } from '../voice/errors/error-catalogue.js'
import type { Base } from './base.js'

/** The server of a callback answered with a status that is no success. */
const CALLBACK_REFUSED = 15003
/** Time for callbacks of calls that end with the process, ms. */
const LAST_CALLBACKS_MS = 5_000

/** Makes the outbox without starting it: the features open their channels first. */
export function wireOutbox(base: Base): {
  readonly outbox: Outbox
  readonly callbacks: CallbackOutbox
} {
  const { clock, db, disposer, log, random } = base
  const outbox = disposer.use(new Outbox({ db, clock, random, log, node: db.node }))
  // The disposer runs this once the calls have ended.
  disposer.defer(() => endedWithin(outbox.settled(), LAST_CALLBACKS_MS))
  return { outbox, callbacks: outbox.open(callbackChannel(base)) }
}

/** Starts the deliveries, and reschedules them when the system clock is set. */
export function startOutbox({ clock, disposer, log }: Base, outbox: Outbox): void {
  outbox.start()
  const onJump = async (jumpMs: number): Promise<void> => {
    try {
      await outbox.followClock()
    } catch (err) {
      log.error({ err, jumpMs }, 'could not make the outbox follow the clock')
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
