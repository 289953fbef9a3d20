/** Reads the NOTIFYs of a referral (RFC 3515 §2.4.4). Pure. */

export interface Notice {
  /** The status of the peer's new call; undefined when the body has none. */
  readonly status: number | undefined
  /** True when the subscription is terminated: no NOTIFY follows. */
  readonly isLast: boolean
}

interface Notify {
  readonly body: string | undefined
  get(name: string): string | undefined
}

/** Reads a NOTIFY. Its body is a response's start line, perhaps with headers (RFC 3420). */
export function readNotice(notify: Notify): Notice {
  const type = notify.get('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  const line = type === 'message/sipfrag' ? statusLineOf(notify.body) : undefined
  return {
    status: line === undefined ? undefined : Number(line.slice(0, 3)),
    isLast: /^\s*terminated\b/i.test(notify.get('Subscription-State') ?? ''),
  }
}

/** Returns the status line of a fragment: `180 Ringing` for `SIP/2.0 180 Ringing`. */
export function statusLineOf(fragment: string | undefined): string | undefined {
  return /^SIP\/2\.0 ([1-6]\d\d\b[^\r\n]*)/i.exec(fragment ?? '')?.[1]?.trim()
}

/**
 * Returns the package in the Event header of a NOTIFY, and the CSeq number of the REFER when present (RFC
 * 3515 §2.4.6).
 */
export function eventOf(notify: Pick<Notify, 'get'>): {
  readonly package: string
  readonly id: number | undefined
} {
  const [name = '', ...parameters] = (notify.get('Event') ?? '').split(';')
  const id = parameters.map((text) => /^\s*id\s*=\s*(\d{1,10})\s*$/i.exec(text)?.[1])
  const found = id.find((text) => text !== undefined)
  return {
    package: name.trim().toLowerCase(),
    id: found === undefined ? undefined : Number(found),
  }
}
