import type { Accounts } from '../../../accounts/accounts.js'
import type { Logger } from '../../../platform/log.js'

export interface InactiveAccountsDeps {
  readonly accounts: Pick<Accounts, 'find'>
  readonly log: Logger
  /** The sids of the accounts that have live calls. */
  readonly accountsWithCalls: () => ReadonlySet<string>
  readonly endCallsOf: (accountSid: string) => void
}

/** The interval of the look at accounts, and so the time that a call may outlive its account. */
const LOOK_EVERY_MS = 2_000

/**
 * Ends the calls of accounts that are not active any more. It finds what the operator's request did
 * not: a call that began while the account was being disabled, or that another process has.
 */
export class InactiveAccounts implements Disposable {
  readonly #deps: InactiveAccountsDeps
  readonly #timer: NodeJS.Timeout
  #isLooking = false

  constructor(deps: InactiveAccountsDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => {
      void this.look()
    }, LOOK_EVERY_MS).unref()
  }

  /** Looks at every account with live calls. A look that is slow is not joined by another. */
  async look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    const { accounts, accountsWithCalls, endCallsOf, log } = this.#deps
    try {
      for (const sid of accountsWithCalls()) {
        const account = await accounts.find(sid)
        if (account !== undefined && account.status !== 'active') endCallsOf(sid)
      }
    } catch (err) {
      log.error({ err }, 'could not look for calls of disabled accounts')
    } finally {
      this.#isLooking = false
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
