import type { Vault } from './secrets.js'
import { urlPasswordOf, withUrlPassword } from './url-passwords.js'

/** Prefix of a sealed password; base64url follows, which a URL leaves unescaped. */
const PREFIX = 'sealed.'

/** Seals the password in a URL for storage, and unseals it for a request. */
export interface SealedUrls {
  /** Returns the URL to store. A URL without a password, or already sealed, is returned unchanged. */
  readonly seal: (text: string) => string
  /** Returns the URL to request; one that was never sealed is returned unchanged. */
  readonly open: (url: URL) => URL
}

/** Seals each password with its user and host, so that it cannot be unsealed in another URL. */
export function sealedUrls(vault: Pick<Vault, 'seal' | 'open'>): SealedUrls {
  return {
    seal: (text) => {
      const password = urlPasswordOf(text)
      if (password === undefined || !URL.canParse(text)) return text
      const place = placeOf(new URL(text))
      if (opened(vault, password, place) !== undefined) return text
      const sealed = Buffer.from(vault.seal(place + password), 'base64').toString('base64url')
      return withUrlPassword(text, `${PREFIX}${sealed}`)
    },
    open: (url) => {
      const password = opened(vault, url.password, placeOf(url))
      if (password === undefined) return url
      const open = new URL(url.href)
      open.password = password
      return open
    },
  }
}

/** Scheme, user and host that the password belongs to. A line end cannot be part of a URL. */
function placeOf({ protocol, username, host }: URL): string {
  return `${protocol}//${username}@${host}\n`
}

function opened(vault: Pick<Vault, 'open'>, text: string, place: string): string | undefined {
  if (!text.startsWith(PREFIX)) return undefined
  try {
    const secret = vault.open(text.slice(PREFIX.length))
    return secret.startsWith(place) ? secret.slice(place.length) : undefined
  } catch {
    // GCM shows that we did not seal it: a customer's own password may start so.
    return undefined
  }
}
