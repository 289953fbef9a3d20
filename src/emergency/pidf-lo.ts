/** Formats a civic address as a PIDF-LO location object (RFC 4119, RFC 5139, RFC 5491). Pure. */
import type { CivicAddress } from './civic-address.js'

export const PIDF_TYPE = 'application/pidf+xml'

export interface LocatedCaller {
  /** The caller's number, E.164. */
  readonly number: string
  /** Id of the tuple; it starts with a letter, as XML ids do. */
  readonly id: string
  readonly callerName: string
  readonly location: CivicAddress
  /** Epoch milliseconds. */
  readonly at: number
}

/** The elements of RFC 5139 §3.1 in the order of its schema, §5. */
const ELEMENTS: readonly (readonly [string, keyof CivicAddress])[] = [
  ['country', 'country'],
  ['A1', 'state'],
  ['A3', 'city'],
  ['PRD', 'preDirection'],
  ['RD', 'street'],
  ['STS', 'streetType'],
  ['POD', 'postDirection'],
  ['HNO', 'houseNumber'],
  ['HNS', 'houseNumberSuffix'],
  ['LOC', 'additional'],
  ['FLR', 'floor'],
]
/** The elements after NAM, the name of the place. */
const LAST_ELEMENTS: readonly (readonly [string, keyof CivicAddress])[] = [
  ['PC', 'postalCode'],
  ['BLD', 'building'],
  ['UNIT', 'unit'],
  ['ROOM', 'room'],
]

export function pidfLo({ number, id, callerName, location, at }: LocatedCaller): string {
  const civic = [
    ...ELEMENTS.map(([name, field]) => element(name, location[field])),
    element('NAM', callerName),
    ...LAST_ELEMENTS.map(([name, field]) => element(name, location[field])),
  ].join('')
  // RFC 4119 §2.2.2: retransmission of an emergency call's location must be allowed.
  return `<?xml version="1.0" encoding="UTF-8"?>
<presence xmlns="urn:ietf:params:xml:ns:pidf" xmlns:gp="urn:ietf:params:xml:ns:pidf:geopriv10" xmlns:gbp="urn:ietf:params:xml:ns:pidf:geopriv10:basicPolicy" xmlns:ca="urn:ietf:params:xml:ns:pidf:geopriv10:civicAddr" entity="tel:${escaped(number)}">
<tuple id="${escaped(id)}">
<status><gp:geopriv>
<gp:location-info><ca:civicAddress xml:lang="en">${civic}</ca:civicAddress></gp:location-info>
<gp:usage-rules><gbp:retransmission-allowed>true</gbp:retransmission-allowed></gp:usage-rules>
<gp:method>Manual</gp:method>
</gp:geopriv></status>
<contact>tel:${escaped(number)}</contact>
<timestamp>${new Date(at).toISOString()}</timestamp>
</tuple>
</presence>
`.replaceAll('\n', '\r\n')
}

function element(name: string, value: string | undefined): string {
  if (value === undefined || value === '') return ''
  return `<ca:${name}>${escaped(value)}</ca:${name}>`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
