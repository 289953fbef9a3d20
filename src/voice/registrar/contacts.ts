/** Reads the Contact headers of a REGISTER (RFC 3261 §10.2.1, RFC 5626, RFC 5627). Pure. */
import { parseNameAddrList } from '../../platform/sip-grammar/name-addr.js'
import { parseUri } from '../../platform/sip-grammar/uri.js'

/** A contact that a softphone registers, or removes with an expiry of 0. */
export interface WantedContact {
  readonly uri: string
  /**
   * Key of the binding: instance and reg-id (RFC 5626), or else the URI. A contact replaces the
   * binding with the same key.
   */
  readonly key: string
  /** The q value in thousandths. */
  readonly q: number
  /** The requested expiry in seconds; undefined without one. */
  readonly expires: number | undefined
  readonly instanceId: string | undefined
  readonly regId: number | undefined
}

export type WantedContacts =
  /** The REGISTER only queries the bindings. */
  | { readonly type: 'query' }
  | { readonly type: 'remove-all' }
  | { readonly type: 'update'; readonly contacts: readonly WantedContact[] }
  | { readonly type: 'malformed' }

const MAX_CONTACTS = 10
const MAX_URI_CHARS = 512
const MAX_INSTANCE_CHARS = 256
const MAX_SECONDS = 2 ** 32 - 1
const MAX_REG_ID = 2 ** 31 - 1

export function readContacts(
  contact: string | undefined,
  expires: string | undefined,
): WantedContacts {
  const common = readSeconds(expires)
  if (contact === undefined || contact.trim() === '') return { type: 'query' }
  // RFC 3261 §10.2.2: `*` must be the only contact, with an expiry of 0.
  if (contact.trim() === '*') return { type: common === 0 ? 'remove-all' : 'malformed' }
  const addresses = parseNameAddrList(contact)
  if (addresses === undefined || addresses.length > MAX_CONTACTS) return { type: 'malformed' }
  const contacts = addresses.map(({ uri, params }) => readContact(uri, params, common))
  if (!contacts.every((each) => each !== undefined)) return { type: 'malformed' }
  // RFC 5626 §6: a REGISTER contains one flow at most.
  if (contacts.filter(isFlow).length > 1) return { type: 'malformed' }
  return { type: 'update', contacts: contacts.filter(isLastOfItsKey) }
}

function isFlow({ regId, expires }: WantedContact): boolean {
  return regId !== undefined && expires !== 0
}

/** False for a contact that is repeated later in the list: the later one counts. */
function isLastOfItsKey(
  contact: WantedContact,
  at: number,
  contacts: readonly WantedContact[],
): boolean {
  const isAgain = ({ key, expires }: WantedContact) =>
    key === contact.key && (expires === 0) === (contact.expires === 0)
  return !contacts.slice(at + 1).some(isAgain)
}

function readContact(
  uri: string,
  params: Readonly<Record<string, string>>,
  common: number | undefined,
): WantedContact | undefined {
  if (uri.length > MAX_URI_CHARS || !isCallable(uri)) return undefined
  const instanceId = params['+sip.instance']
  if (instanceId !== undefined && !isInstance(instanceId)) return undefined
  const regId = readRegId(params['reg-id'])
  if (regId === 'malformed') return undefined
  const { q } = params
  return {
    uri,
    key: keyOf(uri, instanceId, regId),
    q: q === undefined ? 1_000 : Math.round(1_000 * Math.min(1, Math.max(0, Number(q) || 0))),
    expires: readSeconds(params['expires']) ?? common,
    instanceId,
    regId: instanceId === undefined ? undefined : regId,
  }
}

/**
 * True for a SIP URI that can be the target of any request: it sets neither a header nor the method
 * of the request (RFC 3261 §19.1.1).
 */
function isCallable(uri: string): boolean {
  const parsed = parseUri(uri)
  if (parsed === undefined || parsed.scheme === 'tel') return false
  return Object.keys(parsed.headers).length === 0 && parsed.params['method'] === undefined
}

/** Reads a reg-id, from 1 to 2^31-1 (RFC 5626 §4.2). */
function readRegId(text: string | undefined): number | undefined | 'malformed' {
  if (text === undefined) return undefined
  const regId = /^\d{1,10}$/.test(text) ? Number(text) : 0
  return regId >= 1 && regId <= MAX_REG_ID ? regId : 'malformed'
}

/** True for a URN in angle brackets (RFC 5626 §4.1). */
function isInstance(text: string): boolean {
  return text.length <= MAX_INSTANCE_CHARS && /^<[!-;=?-~]+>$/.test(text)
}

/** RFC 5626 §6: the same instance and reg-id is the same binding, even with another address. */
function keyOf(uri: string, instanceId: string | undefined, regId: number | undefined): string {
  if (instanceId === undefined) return `uri:${uri}`
  return regId === undefined ? `instance:${instanceId}` : `instance:${instanceId};${regId}`
}

/** Reads whole seconds; undefined for any other text, which counts as absent (RFC 3261 §20.19). */
function readSeconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,10}\s*$/.test(text)
    ? Math.min(Number(text), MAX_SECONDS)
    : undefined
}

/** True when the source address of a peer differs from its contact address. */
export function isBehindNat(
  uri: string,
  source: { readonly address: string; readonly port: number },
): boolean {
  const parsed = parseUri(uri)
  return parsed?.host !== source.address || (parsed.port ?? 5060) !== source.port
}
