/**
 * Rules about mail addresses and their domains. Pure, except that the published lists are read on
 * first use.
 */
import { isListedDisposable, isListedFreeMail } from '../data/mail-lists.js'
import type { Tables } from '../data/tables.js'

const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@((?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,63})$/

/** The address's domain in lower case; undefined when the text is no address. */
export function mailDomain(address: string): string | undefined {
  return ADDRESS.exec(address)?.[1]?.toLowerCase()
}

/** True for a domain in the list, or a subdomain of one. */
function isWithin(domain: string, domains: readonly string[]): boolean {
  return domains.some((each) => domain === each || domain.endsWith(`.${each}`))
}

/** True for an address at a disposable mail service. The tables override the published lists. */
export function isDisposable(address: string, tables: Tables): boolean {
  const domain = mailDomain(address)
  if (domain === undefined) return false
  const { free, disposable, allowed } = tables.mailDomains
  if (isWithin(domain, disposable)) return true
  return !isWithin(domain, [...free, ...allowed]) && isListedDisposable(domain)
}

/** True for a free-mail address, which belongs to a person, not to an organisation. */
export function isFreeMail(address: string, tables: Tables): boolean {
  const domain = mailDomain(address)
  if (domain === undefined) return false
  const { free, allowed } = tables.mailDomains
  return isWithin(domain, free) || (!isWithin(domain, allowed) && isListedFreeMail(domain))
}

/** True for a shared mailbox such as `info@`, `sales+us@` or `customer.service@`. */
export function isDistribution(address: string, tables: Tables): boolean {
  const name = plainLocal((address.split('@')[0] ?? '').split('+')[0] ?? '')
  return tables.mailDomains.distribution.some((each) => plainLocal(each) === name)
}

/** Returns a local part without word separators, since spellings vary. */
function plainLocal(local: string): string {
  return local.toLowerCase().replaceAll(/[._-]/g, '')
}

/** The host of a website, with or without a scheme; undefined when the text is no website. */
export function websiteHost(website: string): string | undefined {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(website) ? website : `https://${website}`
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname } = new URL(text)
  const isHost = /^(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{1,62}$/.test(hostname)
  return isHost && /^https?:$/.test(protocol) ? hostname : undefined
}

/**
 * True when mail domain and website host belong together: they are equal, or one contains the
 * other.
 */
export function isSameOrganisation(address: string, website: string): boolean {
  const domain = mailDomain(address)
  const host = websiteHost(website)?.replace(/^www\./, '')
  if (domain === undefined || host === undefined) return false
  return domain === host || domain.endsWith(`.${host}`) || host.endsWith(`.${domain}`)
}
