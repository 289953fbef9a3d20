/** The password in a web address, which only the request that needs it sees. Pure. */
import { DomainError } from './errors.js'

const MASK = '***'
/**
 * Finds the password of `https://user:password@host`. It ends at the last `@` before the path, and any
 * number of slashes of either direction may follow the scheme (WHATWG URL §4.4).
 */
const PASSWORD = /^(\s*(?:https?|wss?):[/\\]*[^/\\?#:]*:)([^/\\?#]+)(?=@)/i

/** A URL with a masked password names no URL that is stored: the password is not known. */
export class MaskedPasswordError extends DomainError {
  override readonly name = 'MaskedPasswordError'
  readonly code = 'masked-password'
}

/** The password of a URL as it is written; undefined when it has none. */
export function urlPasswordOf(text: string): string | undefined {
  return text.includes('@') ? PASSWORD.exec(text)?.[2] : undefined
}

/** The URL with another password in place of its own. */
export function withUrlPassword(text: string, password: string): string {
  return text.replace(PASSWORD, (_all, before: string) => `${before}${password}`)
}

/** The URL as it may be shown. */
export function maskedUrl(text: string): string {
  return text.includes('@') ? withUrlPassword(text, MASK) : text
}

/** A URL of a resource as it is shown; null for none. */
export function shownUrl(text: string | undefined): string | null {
  return text === undefined ? null : maskedUrl(text)
}

/**
 * The URL that is meant by one whose password is masked: the stored one, where nothing else differs, so
 * that a client may write back what it has read. Throws MaskedPasswordError for another URL: a stored
 * password goes to no other host.
 */
export function withKnownPassword(given: string, stored: string | undefined): string {
  if (urlPasswordOf(given) !== MASK) return given
  if (stored !== undefined && maskedUrl(stored) === given) return stored
  throw new MaskedPasswordError(`the password of ${given} is masked: write it out`)
}

/** A change of settings, each URL with a masked password replaced by the stored one. */
export function withKnownPasswords<Change extends object>(change: Change, stored: object): Change {
  const before = new Map<string, unknown>(Object.entries(stored))
  const changes = Object.entries(change).map(([name, value]: [string, unknown]) => {
    const known = before.get(name)
    if (typeof value !== 'string') return [name, value]
    return [name, withKnownPassword(value, typeof known === 'string' ? known : undefined)]
  })
  // The names are the same, and a text stays a text.
  return Object.fromEntries(changes) as Change
}

/** The settings as they may be shown. Only a whole text that is a URL is masked. */
export function withMaskedUrls<Settings extends object>(settings: Settings): Settings {
  const shown = Object.entries(settings).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? maskedUrl(value) : value,
  ])
  // The names are the same, and a text stays a text.
  return Object.fromEntries(shown) as Settings
}
