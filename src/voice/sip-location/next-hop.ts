/** A server that a request is sent to, by address. */
export interface NextHop {
  readonly address: string
  readonly port: number
  /** Undefined lets the signalling server choose. */
  readonly transport: string | undefined
}

/** Formats the SIP URI of a next hop. */
export function nextHopTo({ address, port, transport }: NextHop): string {
  const host = address.includes(':') ? `[${address}]` : address
  return `sip:${host}:${String(port)}${transport === undefined ? '' : `;transport=${transport}`}`
}
