/** Wires SIP domains and the registrar of the softphones at them. */
import { Bindings, deleteBindingsOf } from '../voice/registrar/bindings.js'
import { DigestGate } from '../voice/registrar/digest-gate.js'
import { GuessLimit } from '../voice/registrar/guess-limit.js'
import { startKeepAlive } from '../voice/registrar/keep-alive.js'
import { StoredNonceCounts } from '../voice/registrar/nonce-counts.js'
import { openNonceKey } from '../voice/registrar/nonce-key.js'
import { RegisteredContacts } from '../voice/registrar/registered-contacts.js'
import { Registrar } from '../voice/registrar/registrar.js'
import { createSipResources, type SipResources } from '../voice/sip-domains/sip-resources.js'
import type { Telephony } from '../voice/telephony/port.js'
import type { Base } from './base.js'

export interface Registration {
  readonly bindings: Bindings
  readonly registrar: Registrar
  readonly contacts: RegisteredContacts
  readonly gate: DigestGate
  readonly nonceCounts: StoredNonceCounts
  readonly guesses: GuessLimit
}

export async function wireSip(
  { accounts, clock, db, disposer, log, vault }: Base,
  telephony: Telephony,
): Promise<{ readonly sip: SipResources; readonly registration: Registration }> {
  const sip = createSipResources({ db, clock, vault, onDomainRemoved: deleteBindingsOf })
  const bindings = new Bindings({ db, clock })
  const nonceCounts = new StoredNonceCounts({ db, clock })
  const guesses = new GuessLimit()
  const gate = new DigestGate({
    key: await openNonceKey(db, vault),
    guesses,
    credentials: sip.credentials,
    isRegisteredFrom: async (domainSid, username, address) =>
      (await bindings.of({ domainSid, username })).some(({ source }) => source.address === address),
    clock,
    log,
  })
  const contacts = new RegisteredContacts(sip.domains, bindings)
  const registrar = new Registrar({ accounts, bindings, gate, clock, log })
  disposer.use(bindings.startRetention())
  disposer.use(nonceCounts.startRetention())
  disposer.use(startKeepAlive({ bindings, telephony, clock, log }))
  return { sip, registration: { bindings, contacts, registrar, gate, nonceCounts, guesses } }
}
