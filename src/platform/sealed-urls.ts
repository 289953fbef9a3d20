import type { Vault } from './secrets.js'
import { urlPasswordOf, withUrlPassword } from './url-passwords.js'

/** The beginning of a sealed password. What follows is base64url, which a URL leaves as it is. */
const PREFIX = 'sealed.'

/** Seals the password within a URL, and opens it for a request. */
export interface SealedUrls {
  /** The URL as it is stored. One without a password stays, and one that is sealed already. */
  readonly seal: (text: string) => string
  /** The URL as it is requested; one that was never sealed stays. */
  readonly open: (url: URL) => URL
}

/** A password is sealed with its user and host, so that it opens in no URL of another one. */
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

/** Whose password it is. A line end cannot be part of a URL. */
function placeOf({ protocol, username, host }: URL): string {
  return `${protocol}//${username}@${host}\n`
}

function opened(vault: Pick<Vault, 'open'>, text: string, place: string): string | undefined {
  if (!text.startsWith(PREFIX)) return undefined
  try {
    const secret = vault.open(text.slice(PREFIX.length))
    return secret.startsWith(place) ? secret.slice(place.length) : undefined
  } catch {
    // GCM says that we have not sealed it: a customer's own password may begin so.
    return undefined
  }
}
