/** Passwords in web addresses: masked for display, restored for requests. Pure. */
import { DomainError } from './errors.js'

const MASK = '***'
/**
 * Matches the password of `https://user:password@host`. It ends at the last `@` before the path; the scheme may
 * be followed by any number of slashes and backslashes (WHATWG URL §4.4).
 */
const PASSWORD = /^(\s*(?:https?|wss?):[/\\]*[^/\\?#:]*:)([^/\\?#]+)(?=@)/i

/** A URL with a masked password matches no stored URL, so its password is unknown. */
export class MaskedPasswordError extends DomainError {
  override readonly name = 'MaskedPasswordError'
  readonly code = 'masked-password'
}

/** The password of a URL, as written; undefined when it has none. */
export function urlPasswordOf(text: string): string | undefined {
  return text.includes('@') ? PASSWORD.exec(text)?.[2] : undefined
}

/** The URL with its password replaced. */
export function withUrlPassword(text: string, password: string): string {
  return text.replace(PASSWORD, (_all, before: string) => `${before}${password}`)
}

/** The URL with its password masked, for display. */
export function maskedUrl(text: string): string {
  return text.includes('@') ? withUrlPassword(text, MASK) : text
}

/** The URL of a resource for display; null when absent. */
export function shownUrl(text: string | undefined): string | null {
  return text === undefined ? null : maskedUrl(text)
}

/**
 * Restores a masked password from the stored URL if nothing else differs, so that a client may write back what
 * it read. Throws MaskedPasswordError for any other URL: a stored password is never sent to another host.
 */
export function withKnownPassword(given: string, stored: string | undefined): string {
  if (urlPasswordOf(given) !== MASK) return given
  if (stored !== undefined && maskedUrl(stored) === given) return stored
  throw new MaskedPasswordError(`the password of ${given} is masked: write it out`)
}

/** A change of settings with every masked password restored from the stored one. */
export function withKnownPasswords<Change extends object>(change: Change, stored: object): Change {
  const before = new Map<string, unknown>(Object.entries(stored))
  const changes = Object.entries(change).map(([name, value]: [string, unknown]) => {
    const known = before.get(name)
    if (typeof value !== 'string') return [name, value]
    return [name, withKnownPassword(value, typeof known === 'string' ? known : undefined)]
  })
  // Names are unchanged, and texts remain texts.
  return Object.fromEntries(changes) as Change
}

/** Settings for display. Only texts that are a URL as a whole are masked. */
export function withMaskedUrls<Settings extends object>(settings: Settings): Settings {
  const shown = Object.entries(settings).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? maskedUrl(value) : value,
  ])
  // Names are unchanged, and texts remain texts.
  return Object.fromEntries(shown) as Settings
}
