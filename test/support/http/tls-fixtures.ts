import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { SinkTls } from './http-sink.js'

const FOLDER = resolve(import.meta.dirname, '../../fixtures/tls')

/** File of the authority that signed `loopback`. */
export const TEST_AUTHORITY = join(FOLDER, 'authority.cert.pem')

/** A certificate for `sink.test` (self-signed) or for 127.0.0.1. */
export function tlsFixture(name: 'good' | 'expired' | 'loopback'): SinkTls {
  return {
    key: readFileSync(join(FOLDER, `${name}.key.pem`), 'utf8'),
    cert: readFileSync(join(FOLDER, `${name}.cert.pem`), 'utf8'),
  }
}
