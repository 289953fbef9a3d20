/** STIR certificates (RFC 8226): decides which chains may sign for telephone numbers. */
import { X509Certificate } from 'node:crypto'

const MAX_CHAIN = 6
/** The DER form of the extension TNAuthList, 1.3.6.1.5.5.7.1.26 (RFC 8226 §9). */
const TN_AUTH_LIST = Buffer.from('06082b0601050507011a', 'hex')
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Parses the certificates in a PEM text; undefined when there is none, or one is invalid. */
export function readCertificates(pem: string): readonly X509Certificate[] | undefined {
  try {
    const found = pem.match(PEM)?.map((text) => new X509Certificate(text)) ?? []
    return found.length === 0 ? undefined : found
  } catch (error) {
    // OpenSSL throws plain errors for unreadable input.
    if (error instanceof Error) return undefined
    throw error
  }
}

/**
 * Returns the signer's certificate if its chain ends at a trusted root and it may sign for
 * telephone numbers at that time; otherwise undefined.
 */
export function trustedSigner(
  [signer, ...others]: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  atMs: number,
): X509Certificate | undefined {
  if (signer === undefined || signer.ca || !signer.raw.includes(TN_AUTH_LIST)) return undefined
  let certificate = signer
  for (let depth = 0; depth < MAX_CHAIN; depth++) {
    if (!isValidAt(certificate, atMs)) return undefined
    const child = certificate
    const anchor = anchors.find((each) => isIssuer(each, child))
    if (anchor !== undefined) return isValidAt(anchor, atMs) ? signer : undefined
    const next = others.find((each) => each.ca && isIssuer(each, child))
    if (next === undefined) return undefined
    certificate = next
  }
  return undefined
}

function isIssuer(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function isValidAt({ validFrom, validTo }: X509Certificate, atMs: number): boolean {
  return Date.parse(validFrom) <= atMs && atMs <= Date.parse(validTo)
}
