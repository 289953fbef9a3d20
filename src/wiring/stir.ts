/** Wires the verification of callers: the trusted authorities, and the certificates of signers. */
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.js'
import { CallerVerification } from '../voice/stir/caller-verification.js'
import { Certificates } from '../voice/stir/certificates.js'
import { readCertificates } from '../voice/stir/trusted-chain.js'
import type { Base } from './base.js'

/** Throws ConfigError when the file of the setting cannot be read. */
export function wireCallerVerification({ clock, config, log, outbound }: Base): CallerVerification {
  const certificates = new Certificates({ clock, log, outbound })
  return new CallerVerification({ certificates, anchors: anchorsIn(config.stirTrustAnchors) })
}

function anchorsIn(file: string | undefined) {
  if (file === undefined) return []
  const anchors = readCertificates(contentOf(file))
  if (anchors === undefined)
    throw new ConfigError(`STIR_TRUST_ANCHORS: ${file} has no certificates in PEM`)
  return anchors
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (cause) {
    throw new ConfigError(`STIR_TRUST_ANCHORS: ${file} cannot be read`, { cause })
  }
}
