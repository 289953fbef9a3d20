/** Wires SIP domains, the registrar of their softphones, and digest authentication of accounts. */
import { type AccessLists, createAccessLists } from '../accounts/access-lists.js'
import type { Accounts } from '../accounts/accounts.js'
import { createSipAuthentication, type SipAuthentication } from '../accounts/sip-authentication.js'
import { createAddressPolicy } from '../platform/http/address-policy.js'
import { type DigestAlgorithm, hashSecret } from '../platform/sip-digest/digest.js'
import type { RefusedCalls } from '../voice/refused-calls/refused-calls.js'
import { Bindings, deleteBindingsOf } from '../voice/registrar/bindings.js'
import { DigestGate, openNonceKey } from '../voice/registrar/digest-gate.js'
import { GuessLimit } from '../voice/registrar/guess-limit.js'
import { startKeepAlive } from '../voice/registrar/keep-alive.js'
import { StoredNonceCounts } from '../voice/registrar/nonce-counts.js'
import { RegisteredContacts } from '../voice/registrar/registered-contacts.js'
import { Registrar } from '../voice/registrar/registrar.js'
import { SoftphoneTexts } from '../voice/registrar/softphone-texts.js'
import { DIGEST_REALM } from '../voice/sip-domains/sip-credentials.js'
import { createSipResources, type SipResources } from '../voice/sip-domains/sip-resources.js'
import type { Telephony } from '../voice/telephony/port.js'
import { type Base, namedPlaces } from './base.js'

export interface Registration {
  readonly bindings: Bindings
  readonly registrar: Registrar
  readonly contacts: RegisteredContacts
  readonly texts: SoftphoneTexts
  readonly gate: DigestGate
  readonly nonceCounts: StoredNonceCounts
  readonly guesses: GuessLimit
  readonly accessLists: AccessLists
  readonly sipAuthentication: SipAuthentication
}

export async function wireSip(
  base: Base,
  telephony: Telephony,
  refusedCalls: RefusedCalls,
): Promise<{ readonly sip: SipResources; readonly registration: Registration }> {
  const { accounts, clock, db, disposer, log, vault } = base
  const allowsPrivate = createAddressPolicy(namedPlaces(base.policy))
  const accessLists = createAccessLists({ db, clock, allowsPrivate })
  const sipAuthentication = createSipAuthentication({ db, vault, accounts, clock })
  const known: KnownAccounts = { accounts, accessLists, sipAuthentication }
  const sip = createSipResources({ db, clock, vault, onDomainRemoved: deleteBindingsOf })
  const bindings = new Bindings({ db, clock })
  const nonceCounts = new StoredNonceCounts({ db, clock })
  const guesses = new GuessLimit()
  const gate = new DigestGate({
    key: await openNonceKey(db, vault),
    guesses,
    secretsOf: (place, username, algorithm) =>
      place.type === 'domain'
        ? sip.credentials.secretsOf(place.domainSid, place.purpose, username, algorithm)
        : accountSecrets(known, username, algorithm),
    isKnownFrom: async (place, username, address) => {
      if (place.type === 'accounts') return await isListed(known, username, address)
      const held = await bindings.of({ domainSid: place.domainSid, username })
      return held.some(({ source }) => source.address === address)
    },
    clock,
    log,
  })
  const contacts = new RegisteredContacts(sip.domains, bindings)
  const registrar = disposer.use(
    new Registrar({ accounts, bindings, gate, refusedCalls, clock, log }),
  )
  disposer.use(bindings.startRetention(log))
  disposer.use(nonceCounts.startRetention(log))
  disposer.use(startKeepAlive({ bindings, telephony, clock, log }))
  return {
    sip,
    registration: {
      bindings,
      contacts,
      registrar,
      texts: new SoftphoneTexts(),
      gate,
      nonceCounts,
      guesses,
      accessLists,
      sipAuthentication,
    },
  }
}

interface KnownAccounts {
  readonly accounts: Accounts
  readonly accessLists: AccessLists
  readonly sipAuthentication: SipAuthentication
}

/** H(A1) of an account's username and SIP password; empty without a password. */
async function accountSecrets(
  { accounts, sipAuthentication }: KnownAccounts,
  username: string,
  algorithm: DigestAlgorithm,
): Promise<readonly string[]> {
  const account = await accounts.findByUsername(username)
  if (account?.status !== 'active') return []
  const password = await sipAuthentication.passwordOf(account.sid)
  return password === undefined ? [] : [hashSecret(algorithm, username, DIGEST_REALM, password)]
}

/** True when the account's access list contains the address. */
async function isListed(
  { accounts, accessLists }: KnownAccounts,
  username: string,
  address: string,
): Promise<boolean> {
  const account = await accounts.findByUsername(username)
  const listed = account === undefined ? [] : await accessLists.accountsAt(address)
  return listed.some(({ accountSid }) => accountSid === account?.sid)
}
