/** An upstream trunk: what an operator sets, and what holds where nothing is set. */
import type { ForwardedCaller } from '../../numbers/forwarded-caller.js'
import type { SigningIdentity } from '../stir/sign-caller.js'
import type { Codec } from '../telephony/codecs.js'

/** `dns`: the transport that the NAPTR or SRV records of its host prefer, else UDP (RFC 3263 §4.1). */
export type CarrierTransport = 'udp' | 'tcp' | 'tls' | 'dns'

/** Calls go to a carrier by prefix, and come from it by address. */
export interface Carrier {
  readonly name: string
  /** The host name or address that calls are sent to. */
  readonly host: string
  /**
   * Its port. Undefined: the port of its DNS service records, else 5060, and 5061 for TLS (RFC 3263
   * §4).
   */
  readonly port: number | undefined
  readonly transport: CarrierTransport
  /** E.164 prefixes that the carrier takes; `+` takes every number. */
  readonly prefixes: readonly string[]
  /** The order among carriers of the same prefix length; a lower number goes first. */
  readonly priority: number
  /** The share among carriers of the same prefix length and priority. */
  readonly weight: number
  /** CIDRs that the carrier's INVITEs come from. */
  readonly addresses: readonly string[]
  readonly auth?: CarrierAuth
  readonly settings: CarrierSettings
}

export interface CarrierAuth {
  readonly username: string
  readonly password: string
}

/**
 * How the carrier writes numbers, both in INVITEs to it and in INVITEs from it. `e164`: +442079460018.
 * `digits`: 442079460018. `national`: numbers of its country as dialled there, others with the
 * international prefix.
 */
export type NumberFormat = 'e164' | 'digits' | 'national'

export interface NumberRules {
  readonly format: NumberFormat
  /** The country code without plus that `national` shortens: `44`. */
  readonly countryCode: string
  /** The digits before a national number: `0`, or empty as in North America. */
  readonly trunkPrefix: string
  /** The digits before the country code of a foreign number: `00` or `011`. */
  readonly internationalPrefix: string
  /** Digits before the called number that a wholesale carrier asks for. */
  readonly techPrefix: string
}

/** The header in which the carrier reads the caller's number. */
export type CallerIdHeader = 'From' | 'P-Asserted-Identity' | 'Remote-Party-ID'

export interface CallerIdRules {
  readonly header: CallerIdHeader
  /** The user of the From header where another header has the number: often the account's name. */
  readonly fromUser?: string | undefined
  /** The host of the From header; some carriers want their own domain there. */
  readonly fromHost?: string | undefined
  /** The caller of a forwarded call. Undefined: the caller from outside. */
  readonly forwarded?: ForwardedCaller | undefined
}

export interface CarrierSettings {
  /** False: no call is sent to the carrier, and it is not probed. Its own calls are taken. */
  readonly isEnabled: boolean
  /** The realm of the challenges that the credentials answer. Undefined: any realm. */
  readonly realm?: string | undefined
  readonly numbers: NumberRules
  readonly callerId: CallerIdRules
  /** The certificate that callers are signed with (STIR/SHAKEN). Undefined: they are not signed. */
  readonly identity?: SigningIdentity | undefined
  /** Headers of every INVITE to the carrier. */
  readonly headers: Readonly<Record<string, string>>
  /** The codecs that are offered to the carrier, the preferred one first. */
  readonly codecs: readonly Codec[]
  /** True: the carrier is offered SRTP and nothing else (RFC 4568). */
  readonly isMediaSecure: boolean
  /** The INVITEs a second that one node sends. Undefined: no limit but the server's. */
  readonly callsPerSecond?: number | undefined
  /** The calls at once through the carrier, over all nodes. Undefined: no limit. */
  readonly maxCalls?: number | undefined
  /** The seconds in which the carrier must say that it rings, where there is another route. */
  readonly progressSeconds: number
  /** The seconds between two OPTIONS to the carrier; 0 sends none. */
  readonly probeSeconds: number
  /** The lifetime in seconds that REGISTER asks for; 0 does not register. */
  readonly registerSeconds: number
  /** True: calls to emergency numbers go to this carrier. */
  readonly isEmergency: boolean
  /** `number`: To names 911. `service`: To names the service, `urn:service:sos` (RFC 5031). */
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
