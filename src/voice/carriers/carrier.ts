/** An upstream trunk: its settings and their defaults. */
import type { ForwardedCaller } from '../../numbers/forwarded-caller.js'
import type { SigningIdentity } from '../stir/sign-caller.js'
import type { Codec } from '../telephony/codecs.js'

/** `dns`: the transport that the host's NAPTR or SRV records prefer, else UDP (RFC 3263 §4.1). */
export type CarrierTransport = 'udp' | 'tcp' | 'tls' | 'dns'

/** A carrier. Calls are sent to it by prefix, and received from it by address. */
export interface Carrier {
  readonly name: string
  /** The host name or address that calls are sent to. */
  readonly host: string
  /** Undefined: the port of the host's DNS service records, else 5060, and 5061 for TLS (RFC 3263 §4). */
  readonly port: number | undefined
  readonly transport: CarrierTransport
  /** E.164 prefixes of the numbers that the carrier accepts; `+` means every number. */
  readonly prefixes: readonly string[]
  /** The order among carriers of the same prefix length; the lowest comes first. */
  readonly priority: number
  /** The share of calls among carriers of the same prefix length and priority. */
  readonly weight: number
  /** CIDRs from which the carrier sends INVITEs. */
  readonly addresses: readonly string[]
  readonly auth?: CarrierAuth
  readonly settings: CarrierSettings
}

export interface CarrierAuth {
  readonly username: string
  readonly password: string
}

/**
 * How the carrier writes numbers, in INVITEs to it and from it. `e164`: +442079460018. `digits`:
 * 442079460018. `national`: numbers of its country as dialled there, others with the international prefix.
 */
export type NumberFormat = 'e164' | 'digits' | 'national'

export interface NumberRules {
  readonly format: NumberFormat
  /** The country code, without plus, that `national` omits: `44`. */
  readonly countryCode: string
  /** The digits before a national number: `0`, or empty as in North America. */
  readonly trunkPrefix: string
  /** The digits before the country code of a foreign number: `00` or `011`. */
  readonly internationalPrefix: string
  /** Digits before the called number that some wholesale carriers require. */
  readonly techPrefix: string
}

/** The header in which the carrier expects the caller's number. */
export type CallerIdHeader = 'From' | 'P-Asserted-Identity' | 'Remote-Party-ID'

export interface CallerIdRules {
  readonly header: CallerIdHeader
  /** The user of the From header when another header has the number; often the account's name. */
  readonly fromUser?: string | undefined
  /** The host of the From header; some carriers require their own domain. */
  readonly fromHost?: string | undefined
  /** The caller shown for a forwarded call. Undefined: the outside caller. */
  readonly forwarded?: ForwardedCaller | undefined
}

export interface CarrierSettings {
  /** False: no call is sent to the carrier, and it is not probed. Calls from it are still accepted. */
  readonly isEnabled: boolean
  /** The realm of the challenges for which the credentials are used. Undefined: any realm. */
  readonly realm?: string | undefined
  readonly numbers: NumberRules
  readonly callerId: CallerIdRules
  /** The certificate for signing callers (STIR/SHAKEN). Undefined: no signature. */
  readonly identity?: SigningIdentity | undefined
  /** Additional headers of every INVITE to the carrier. */
  readonly headers: Readonly<Record<string, string>>
  /** The codecs offered to the carrier, preferred first. */
  readonly codecs: readonly Codec[]
  /** True: only SRTP is offered to the carrier (RFC 4568). */
  readonly isMediaSecure: boolean
  /** Maximum number of INVITEs per second from one node. Undefined: only the server's limit. */
  readonly callsPerSecond?: number | undefined
  /** Maximum number of concurrent calls through the carrier, over all nodes. Undefined: no limit. */
  readonly maxCalls?: number | undefined
  /** Maximum time in seconds for the carrier to send an 18x response, when there is another route. */
  readonly progressSeconds: number
  /** Interval of OPTIONS probes in seconds; 0 disables them. */
  readonly probeSeconds: number
  /** The lifetime in seconds that REGISTER requests; 0 disables registration. */
  readonly registerSeconds: number
  /** True: calls to emergency numbers are sent to this carrier. */
  readonly isEmergency: boolean
  /** `number`: To contains 911. `service`: To contains `urn:service:sos` (RFC 5031). */
  readonly emergencyTo: 'number' | 'service'
}

export const DEFAULT_CARRIER_SETTINGS: CarrierSettings = {
  isEnabled: true,
  numbers: {
    format: 'e164',
    countryCode: '',
    trunkPrefix: '',
    internationalPrefix: '00',
    techPrefix: '',
  },
  callerId: { header: 'From' },
  headers: {},
  codecs: ['PCMU', 'PCMA'],
  isMediaSecure: false,
  progressSeconds: 12,
  probeSeconds: 0,
  registerSeconds: 0,
  isEmergency: false,
  emergencyTo: 'number',
}
