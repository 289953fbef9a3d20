import type { Accounts } from '../../../accounts/accounts.js'
import { repeat } from '../../../platform/async/repeat.js'
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
export class InactiveAccounts implements AsyncDisposable {
  readonly #deps: InactiveAccountsDeps
  readonly #looks: AsyncDisposable

  constructor(deps: InactiveAccountsDeps) {
    this.#deps = deps
    this.#looks = repeat({
      name: 'calls of disabled accounts',
      log: deps.log,
      everyMs: LOOK_EVERY_MS,
      work: () => this.look(),
    })
  }

  /** Looks at every account with live calls. */
  async look(): Promise<void> {
    const { accounts, accountsWithCalls, endCallsOf } = this.#deps
    for (const sid of accountsWithCalls()) {
      const account = await accounts.find(sid)
      if (account !== undefined && account.status !== 'active') endCallsOf(sid)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#looks[Symbol.asyncDispose]()
  }
}
