import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { SinkTls } from './http-sink.js'

const FOLDER = resolve(import.meta.dirname, '../fixtures/tls')

/** A self-signed certificate for `sink.test`. */
export function tlsFixture(name: 'good' | 'expired'): SinkTls {
  return {
    key: readFileSync(join(FOLDER, `${name}.key.pem`), 'utf8'),
    cert: readFileSync(join(FOLDER, `${name}.cert.pem`), 'utf8'),
  }
}
