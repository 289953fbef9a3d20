import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../fixtures/stir')
const read = (name: string) => readFileSync(join(FOLDER, name), 'latin1')

/** File of the root authority of the test certificates. */
export const ANCHOR_FILE = join(FOLDER, 'root.pem')

/**
 * Test certificates, valid until 2126: a signer with a TNAuthList below an intermediate, an ordinary web
 * certificate below the same intermediate, their root authority, and an unrelated one.
 */
export const stirCertificates = {
  anchor: read('root.pem'),
  otherAnchor: read('other-root.pem'),
  signer: { chain: read('signer-chain.pem'), key: read('signer-key.pem') },
  plain: { chain: read('plain-chain.pem'), key: read('plain-key.pem') },
}
