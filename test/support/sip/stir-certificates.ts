import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../fixtures/stir')
const read = (name: string) => readFileSync(join(FOLDER, name), 'latin1')

/** The file of the authority that the test certificates lead to. */
export const ANCHOR_FILE = join(FOLDER, 'root.pem')

/**
 * Certificates for tests, valid until 2126: a signer with a TNAuthList below an intermediate, an
 * ordinary web certificate below the same, their authority, and another one.
 */
export const stirCertificates = {
  anchor: read('root.pem'),
  otherAnchor: read('other-root.pem'),
  signer: { chain: read('signer-chain.pem'), key: read('signer-key.pem') },
  plain: { chain: read('plain-chain.pem'), key: read('plain-key.pem') },
}
