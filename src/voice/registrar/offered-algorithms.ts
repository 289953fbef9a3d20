import type { DigestAlgorithm } from '../../platform/sip-digest/digest.js'

/**
 * User agents that know no SHA-256: MD5 alone costs them nothing. Some of them give up at a challenge
 * that they cannot answer, although RFC 8760 §2.4 has them look at the next one: baresip before 2, SIPp,
 * Asterisk before 16.19 (FreePBX names it in brackets), PJSIP before 2.11.
 */
const MD5_ONLY = [
  /^baresip v?[01]\./i,
  /^SIPp\b/i,
  /^Asterisk PBX (?:certified[-/])?1\d?\./i,
  /^FPBX-[\w.]+\(1\d?\./i,
  /^PJSUA v(?:[01]|2\.(?:\d|10))(?!\d)/i,
]

/** The algorithms to challenge a client with, the preferred one first (RFC 8760 §2.3). */
export function offeredAlgorithms(userAgent: string | undefined): readonly DigestAlgorithm[] {
  const isMd5Only = MD5_ONLY.some((pattern) => pattern.test(userAgent ?? ''))
  return isMd5Only ? ['MD5'] : ['SHA-256', 'MD5']
}
