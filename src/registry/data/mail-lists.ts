/**
 * The published lists of mail services. Each is read when it is first asked for, and kept by the
 * module loader: reading the longer one takes as long as a twentieth of the start.
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
 * True when `free-email-domains` lists the domain itself. Organisations have the domains below some of
 * them, as below `net.ua`.
 */
export function isListedFreeMail(domain: string): boolean {
  const domains = load('./free-email-domains/domains.json') as readonly string[] // a list of texts
  return domains.includes(domain)
}
