/**
 * The published lists of mail services. The module loader reads a list on first use and caches it:
 * reading the longer one would add a twentieth to the start time.
 */
import { createRequire } from 'node:module'
import type * as MailChecker from 'mailchecker'

const load = createRequire(import.meta.url)

/** True when `mailchecker` lists the domain, or one above it, as disposable. */
export function isListedDisposable(domain: string): boolean {
  const { blacklist } = load('mailchecker') as typeof MailChecker // the types are the package's own
  const labels = domain.split('.')
  return labels.some((_, index) => blacklist().has(labels.slice(index).join('.')))
}

/**
 * True when `free-email-domains` lists the domain itself. Subdomains are not matched: organisations
 * own some of them, for example below `net.ua`.
 */
export function isListedFreeMail(domain: string): boolean {
  const domains = load('./free-email-domains/domains.json') as readonly string[] // a list of texts
  return domains.includes(domain)
}
