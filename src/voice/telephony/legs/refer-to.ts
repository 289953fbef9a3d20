/** Reads the Refer-To of a REFER (RFC 3515 §2.1). Pure. */
import { parseUri } from '../../../platform/sip-grammar/uri.js'
import type { DialogName } from '../dialog-facts.js'

/** The longest target that the reference API takes, in characters. */
const MAX_TARGET = 256
/** The same for a target with a Replaces header, whose escaped tags are long. */
const MAX_REPLACING_TARGET = 1_024

export interface ReferTarget {
  /** The URI as written. */
  readonly target: string
  /** The dialog that the new call is to replace: an attended transfer (RFC 5589 §7). */
  readonly replaces: DialogName | undefined
}

/** Undefined when the header is not one URI, or is too long. */
export function readReferTo(referTo: string | undefined): ReferTarget | undefined {
  const uri = /<([^<>]*)>/.exec(referTo ?? '')?.[1] ?? (referTo ?? '').split(';')[0]?.trim() ?? ''
  const isUri = /^(?:sips?|tel):[^\s"<>]+$/i.test(uri)
  if (!isUri || uri.length > MAX_REPLACING_TARGET) return undefined
  const replaces = readReplaces(parseUri(uri)?.headers['replaces'])
  if (replaces === undefined && uri.length > MAX_TARGET) return undefined
  return { target: uri, replaces }
}

/** Reads a Replaces header; `to-tag` is the tag of the side that it is sent to (RFC 3891 §3). */
function readReplaces(replaces: string | undefined): DialogName | undefined {
  const [callId = '', ...params] = (replaces ?? '').split(';').map((part) => part.trim())
  const valueOf = (name: string) =>
    params.find((param) => param.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
  const [localTag, remoteTag] = [valueOf('to-tag'), valueOf('from-tag')]
  if (callId === '' || localTag === undefined || remoteTag === undefined) return undefined
  return { callId, localTag, remoteTag }
}
