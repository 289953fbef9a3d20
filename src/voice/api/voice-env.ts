import type { Account } from '../../accounts/accounts.js'

/** What the authentication step leaves for the routes. */
export interface VoiceEnv {
  Variables: { account: Account }
}
