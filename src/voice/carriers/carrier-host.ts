/** Reads the host of a carrier as operators write it: `sip.example.com`, `sip:192.0.2.1:5080;transport=tcp`. Pure. */
import { isIP } from 'node:net'
import { parseUri, type SipUri, schemeOf } from '../../platform/sip-grammar/uri.js'
import type { CarrierTransport } from './carrier.js'

export interface CarrierHost {
  /** A host name or an address, without brackets. */
  readonly host: string
  /** The port and the transport in the text; undefined when absent. */
  readonly port: number | undefined
  readonly transport: CarrierTransport | undefined
}

const NAME = /^[A-Za-z0-9.-]{1,253}$/
const TRANSPORTS = ['udp', 'tcp', 'tls'] as const
const EXPECTED = 'a host name or an address is expected, such as sip.example.com or 192.0.2.1'
const UNFIT =
  ';transport= is udp, tcp or tls, and with sips: only tls; leave it out and set the transport to dns to let DNS choose'

/** Returns the host, or a description of the error. */
export function readCarrierHost(text: string): CarrierHost | string {
  if (isIP(text) !== 0) return { host: text, port: undefined, transport: undefined }
  const uri = parseUri(isSipUri(text) ? text : `sip:${text}`)
  if (uri === undefined || (isIP(uri.host) === 0 && !NAME.test(uri.host))) return EXPECTED
  const surplus = surplusOf(uri)
  if (surplus !== undefined) return surplus
  const transport = transportOf(uri)
  return transport === 'unfit' ? UNFIT : { host: uri.host, port: uri.port, transport }
}

/** Returns the transport that a URI names; undefined when it names none. */
function transportOf({ params, scheme }: SipUri): CarrierTransport | 'unfit' | undefined {
  const named = params['transport']?.toLowerCase()
  if (named === undefined) return scheme === 'sips' ? 'tls' : undefined
  const known = TRANSPORTS.find((each) => each === named)
  return known === undefined || (scheme === 'sips' && known !== 'tls') ? 'unfit' : known
}

/** Describes the parts of a URI that a carrier has no use for; undefined when there are none. */
function surplusOf({ headers, host, params, user }: SipUri): string | undefined {
  if (user !== undefined)
    return `no user is expected in it, only the host: ${host}; the user belongs to auth or fromUser`
  const [unknown] = Object.keys(params).filter((name) => name !== 'transport')
  const other = unknown ?? (Object.keys(headers).length > 0 ? 'headers' : undefined)
  return other && `of a SIP URI only the host, the port and ;transport= are taken, not ${other}`
}

/** True for a text that begins with `sip:` or `sips:`; a host may have a port, which is no scheme. */
function isSipUri(text: string): boolean {
  return ['sip', 'sips'].includes(schemeOf(text) ?? '')
}
