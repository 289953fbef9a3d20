/** The SIP domains of all accounts. A domain name belongs to one account. */
import { refuseClosedAccount } from '../../accounts/account-status.js'
import type { Clock } from '../../platform/clock.js'
import { readOnce } from '../../platform/database/compiled-once.js'
import type { Database, Writer } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import { newSid } from '../../platform/ids.js'
import { type SipDomain, toSipDomain, toSipDomainRow } from './sip-domain.js'
import {
  SipDomainNameError,
  SipLimitError,
  SipResourceNotFoundError,
  SipSubdomainsError,
} from './sip-domain-errors.js'

/** The settings of a domain that the customer sets. */
export type SipDomainSettings = Pick<
  SipDomain,
  | 'friendlyName'
  | 'voice'
  | 'sipRegistration'
  | 'secure'
  | 'emergencyCallingEnabled'
  | 'emergencyCallerSid'
  | 'allowsAnyFrom'
  | 'codecs'
  | 'byocTrunkSid'
>

/** The audio settings of a domain's softphones. */
export type DomainAudio = Pick<SipDomain, 'secure' | 'codecs'>

export interface SipDomains {
  /** Creates a domain. Rejects with SipDomainNameError, SipLimitError and AccountClosedError. */
  create(accountSid: string, domainName: string, settings: SipDomainSettings): Promise<SipDomain>
  /** Resolves with a domain. Rejects with SipResourceNotFoundError, as `update` and `remove` do. */
  fetch(accountSid: string, sid: string): Promise<SipDomain>
  list(
    accountSid: string,
    filter: { readonly friendlyName?: string | undefined },
    page: PageRequest,
  ): Promise<Page<SipDomain>>
  /** Stores the settings that `change` returns. */
  update(
    accountSid: string,
    sid: string,
    change: (current: SipDomainSettings) => SipDomainSettings,
  ): Promise<SipDomain>
  /** Deletes a domain with its mappings and registrations. Rejects with SipSubdomainsError. */
  remove(accountSid: string, sid: string): Promise<void>
  /** Finds a domain by host name, in any case, in any account. */
  find(domainName: string): Promise<SipDomain | undefined>
  /** Returns the audio settings of the domains. */
  audioOf(sids: readonly string[]): Promise<ReadonlyMap<string, DomainAudio>>
  /** Changes the inbound region. Rejects with SipResourceNotFoundError. */
  changeRegion(
    accountSid: string,
    sid: string,
    change: {
      readonly friendlyName?: string | undefined
      readonly voiceRegion?: string | undefined
    },
  ): Promise<SipDomain>
}

export interface SipDomainsDeps {
  readonly db: Database
  readonly clock: Clock
  /** Deletes other features' data of the domain, in the same transaction. */
  readonly onRemoved: (tx: Writer, domainSid: string) => Promise<void>
}

/** Maximum number of domains per account (documented). */
const MAX_DOMAINS = 100
const FIRST_REGION = 'us1'

const rowNamed = readOnce(
  ['domainName'],
  (db, { domainName }: Readonly<Record<'domainName', string>>) =>
    db.selectFrom('sip_domains').selectAll().where('domainName', '=', domainName),
)

export function createSipDomains(deps: SipDomainsDeps): SipDomains {
  const { db, clock } = deps
  return {
    create: async (accountSid, domainName, settings) => {
      const domain = newDomain(accountSid, domainName.toLowerCase(), settings, clock.now())
      await db.write(async (tx) => {
        await refuseClosedAccount(tx, accountSid)
        await insertDomain(tx, domain)
      })
      return domain
    },
    fetch: (accountSid, sid) => fetchDomain(db.read, accountSid, sid),
    list: async (accountSid, { friendlyName }, request) => {
      let matching = db.read
        .selectFrom('sip_domains')
        .selectAll()
        .where('accountSid', '=', accountSid)
      if (friendlyName !== undefined) matching = matching.where('friendlyName', '=', friendlyName)
      const page = await listNewestFirst({ read: db.read, matching }, request)
      return { ...page, items: page.items.map(toSipDomain) }
    },
    update: (accountSid, sid, change) => {
      const now = clock.now()
      return db.write(async (tx) => {
        const current = await fetchDomain(tx, accountSid, sid)
        return storeDomain(tx, { ...current, ...change(current), updatedAt: now })
      })
    },
    remove: (accountSid, sid) => db.write((tx) => removeDomain(tx, accountSid, sid, deps)),
    audioOf: (sids) => audioOf(db.read, sids),
    find: async (domainName) => {
      const [row] = await rowNamed(db.read, { domainName: domainName.toLowerCase() })
      return row && toSipDomain(row)
    },
    changeRegion: (accountSid, sid, { friendlyName, voiceRegion }) => {
      const now = clock.now()
      return db.write(async (tx) => {
        const current = await fetchDomain(tx, accountSid, sid)
        const { region } = current
        return storeDomain(tx, {
          ...current,
          region: {
            sid: region.sid,
            friendlyName: friendlyName ?? region.friendlyName,
            voiceRegion: voiceRegion ?? region.voiceRegion,
            updatedAt: now,
          },
        })
      })
    },
  }
}

function newDomain(
  accountSid: string,
  domainName: string,
  settings: SipDomainSettings,
  now: number,
): SipDomain {
  return {
    sid: newSid('SD'),
    accountSid,
    domainName,
    friendlyName: settings.friendlyName,
    voice: settings.voice,
    sipRegistration: settings.sipRegistration,
    secure: settings.secure,
    emergencyCallingEnabled: settings.emergencyCallingEnabled,
    emergencyCallerSid: settings.emergencyCallerSid,
    allowsAnyFrom: settings.allowsAnyFrom,
    codecs: settings.codecs,
    byocTrunkSid: settings.byocTrunkSid,
    region: {
      sid: newSid('QQ'),
      friendlyName: domainName,
      voiceRegion: FIRST_REGION,
      updatedAt: now,
    },
    createdAt: now,
    updatedAt: now,
  }
}

async function audioOf(
  read: Database['read'],
  sids: readonly string[],
): Promise<ReadonlyMap<string, DomainAudio>> {
  if (sids.length === 0) return new Map()
  const rows = await read.selectFrom('sip_domains').selectAll().where('sid', 'in', sids).execute()
  return new Map(rows.map((row) => [row.sid, toSipDomain(row)]))
}

async function fetchDomain(
  read: Database['read'],
  accountSid: string,
  sid: string,
): Promise<SipDomain> {
  const row = await read
    .selectFrom('sip_domains')
    .selectAll()
    .where('sid', '=', sid)
    .where('accountSid', '=', accountSid)
    .executeTakeFirst()
  if (row === undefined) throw new SipResourceNotFoundError(`there is no SIP domain ${sid}`)
  return toSipDomain(row)
}

async function insertDomain(tx: Writer, domain: SipDomain): Promise<void> {
  const { accountSid, domainName } = domain
  const { count } = await tx
    .selectFrom('sip_domains')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('accountSid', '=', accountSid)
    .executeTakeFirstOrThrow()
  if (count >= MAX_DOMAINS)
    throw new SipLimitError(21230, `an account has at most ${MAX_DOMAINS} SIP domains`)
  await refuseForeignParent(tx, accountSid, domainName)
  const inserted = await tx
    .insertInto('sip_domains')
    .values(toSipDomainRow(domain))
    .onConflict((conflict) => conflict.column('domainName').doNothing())
    .executeTakeFirst()
  if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n) throw notAvailable(domainName)
}

/** Refuses a subdomain of another account's domain, which would mislead that domain's users. */
async function refuseForeignParent(
  tx: Writer,
  accountSid: string,
  domainName: string,
): Promise<void> {
  const labels = domainName.split('.')
  const parents = labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'))
  const foreign = await tx
    .selectFrom('sip_domains')
    .select('sid')
    .where('domainName', 'in', parents)
    .where('accountSid', '<>', accountSid)
    .limit(1)
    .executeTakeFirst()
  if (foreign !== undefined) throw notAvailable(domainName)
}

function notAvailable(domainName: string): SipDomainNameError {
  return new SipDomainNameError(
    `The domain name ${domainName} is in use, or below a domain that is not yours.`,
  )
}

async function storeDomain(tx: Writer, domain: SipDomain): Promise<SipDomain> {
  await tx
    .updateTable('sip_domains')
    .set(toSipDomainRow(domain))
    .where('sid', '=', domain.sid)
    .execute()
  return domain
}

async function removeDomain(
  tx: Writer,
  accountSid: string,
  sid: string,
  { onRemoved }: SipDomainsDeps,
): Promise<void> {
  const { domainName } = await fetchDomain(tx, accountSid, sid)
  const own = await tx
    .selectFrom('sip_domains')
    .select('domainName')
    .where('accountSid', '=', accountSid)
    .execute()
  if (own.some((other) => other.domainName.endsWith(`.${domainName}`)))
    throw new SipSubdomainsError(`${domainName} still has subdomains; delete them first`)
  await tx.deleteFrom('sip_domain_mappings').where('domainSid', '=', sid).execute()
  await onRemoved(tx, sid)
  await tx.deleteFrom('sip_domains').where('sid', '=', sid).execute()
}
