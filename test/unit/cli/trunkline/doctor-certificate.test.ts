import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkCertificate } from '../../../../src/cli/trunkline/doctor/check-certificate.js'
import type { Facts } from '../../../../src/cli/trunkline/doctor/facts.js'
import { readConfig } from '../../../../src/config.js'
import { tlsFixture } from '../../../support/http/tls-fixtures.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import {
  makeAuthority,
  type TestAuthority,
  type TestCertificate,
} from '../../../support/sip/certificates.js'

const folder = tempFolder()
let authority: TestAuthority
let good: TestCertificate

beforeAll(async () => {
  authority = await makeAuthority(folder.path)
  good = await authority.issue('good', ['DNS:sip.example'])
})
afterAll(() => {
  folder[Symbol.dispose]()
})

/** The findings, each as its level and its text. */
async function examine(
  { certFile, keyFile }: Pick<TestCertificate, 'certFile' | 'keyFile'>,
  runningAt?: number,
) {
  const config = readConfig({
    SIP_TLS_CERT: certFile,
    SIP_TLS_KEY: keyFile,
    SIP_TLS_CA: authority.certFile,
    SIP_TLS_PORT: String(runningAt ?? 5061),
  })
  const readiness = runningAt === undefined ? undefined : { isReady: true, detail: {}, date: 0 }
  const found = await checkCertificate({ config, env: {}, flags: {}, url: '', readiness })
  return found.map(({ level, subject, text }) => `${level} ${subject}: ${text}`)
}

it('says nothing where SIP over TLS is not set', async () => {
  const facts = { config: readConfig({}), env: {}, flags: {}, url: '' } as Facts
  expect(await checkCertificate(facts)).toEqual([])
})

it('says how long the certificate holds', async () => {
  expect(await examine(good)).toEqual([
    expect.stringMatching(
      /^ok certificate: valid until \d{4}-\d\d-\d\d, (59|60) days \(DNS:sip\.example\)$/,
    ),
  ])
})

it.each([
  [20, /^warn certificate: ends on .*, in (19|20) days/],
  [1, /^warn certificate: ends on .*, in [01] days/],
])('warns of a certificate that ends in %s days', async (days, expected) => {
  const short = await authority.issue(`days-${days}`, ['DNS:sip.example'], days)
  const found = await examine(short)
  expect(found[0]).toMatch(expected)
})

it('tells of a certificate that has expired long ago, and of a key that all can read', async () => {
  const { cert, key } = tlsFixture('expired')
  const certFile = join(folder.path, 'old.cert')
  const keyFile = join(folder.path, 'old.key')
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
  chmodSync(keyFile, 0o644)
  expect(await examine({ certFile, keyFile })).toEqual([
    expect.stringMatching(/^fail certificate: expired on 2020-/),
    `warn certificate: ${keyFile} is open to every user`,
  ])
})

it('tells which setting names a file that cannot be used', async () => {
  const other = await authority.issue('other', ['DNS:sip.example'])
  const found = await examine({ certFile: good.certFile, keyFile: other.keyFile })
  expect(found).toEqual([expect.stringMatching(/^fail certificate: .* is not the key of /)])
})

it('compares the file with what the running server shows', async () => {
  const server = createServer({ cert: good.cert, key: good.key })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  expect((await examine(good, port))[1]).toMatch(/^ok SIP_TLS_PORT: 127\.0\.0\.1:\d+ shows this/)
  const renewed = await authority.issue('renewed', ['DNS:sip.example'])
  expect((await examine(renewed, port))[1]).toMatch(/^warn SIP_TLS_PORT: .* another certificate/)
  server.close()
  await once(server, 'close')
  expect((await examine(good, port))[1]).toMatch(/^fail SIP_TLS_PORT: no TLS handshake with /)
})
