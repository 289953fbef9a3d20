import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  readTlsFiles,
  type TlsCredentials,
  TlsFilesError,
} from '../../../../src/platform/tls/tls-files.js'
import { watchTlsFiles } from '../../../../src/platform/tls/watch-tls-files.js'
import { tlsFixture } from '../../../support/http/tls-fixtures.js'
import { recordingLog } from '../../../support/process/recording-log.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import {
  makeAuthority,
  type TestAuthority,
  type TestCertificate,
} from '../../../support/sip/certificates.js'
import { waitUntil } from '../../../support/time/wait-until.js'

const folder = tempFolder()
let authority: TestAuthority
let first: TestCertificate
let second: TestCertificate

beforeAll(async () => {
  authority = await makeAuthority(folder.path)
  first = await authority.issue('first', ['DNS:first.example'])
  second = await authority.issue('second', ['DNS:second.example'])
})
afterAll(() => {
  folder[Symbol.dispose]()
})

const filesOf = ({ certFile, keyFile }: TestCertificate) => ({
  cert: certFile,
  key: keyFile,
  ca: authority.certFile,
})

const written = (name: string, text: string): string => {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return path
}

describe('the files of a certificate', () => {
  it('are read when they fit together', async () => {
    const read = await readTlsFiles(filesOf(first))
    expect(read).toMatchObject({ cert: first.cert, key: first.key, ca: authority.cert })
    expect(read.validTo - read.validFrom).toBe(60 * 86_400_000)
  })

  it('name the authorities of the system when none are given', async () => {
    const { ca } = await readTlsFiles({ ...filesOf(first), ca: undefined })
    expect(ca).not.toContain(authority.cert)
  })

  it('are read when the certificate has expired: that is for the caller to say', async () => {
    const { cert, key } = tlsFixture('expired')
    const files = { cert: written('old.cert', cert), key: written('old.key', key) }
    const { validTo } = await readTlsFiles({ ...files, ca: authority.certFile })
    expect(validTo).toBeLessThan(Date.UTC(2021, 0))
  })

  it.each<[string, 'cert' | 'key' | 'ca', () => string, RegExp]>([
    ['a missing certificate', 'cert', () => '/nowhere/cert.pem', /cert\.pem does not exist$/],
    ['a missing key', 'key', () => '/nowhere/key.pem', /key\.pem does not exist$/],
    ['a missing list of authorities', 'ca', () => '/nowhere/ca.pem', /ca\.pem does not exist$/],
    ['a folder', 'cert', () => folder.path, /cannot be read \(EISDIR\)$/],
    ['text in place of a certificate', 'cert', () => written('t', 'x'), /holds no certificate/],
    ['a certificate in place of a key', 'key', () => first.certFile, /holds no private key/],
    ['a key of another certificate', 'key', () => second.keyFile, /is not the key of/],
    ['text in place of authorities', 'ca', () => written('t', 'x'), /holds no certificate/],
  ])('are refused with %s, which the error names', async (_title, file, path, message) => {
    const refused = readTlsFiles({ ...filesOf(first), [file]: path() })
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toBeInstanceOf(TlsFilesError)
    await expect(refused).rejects.toMatchObject({ file })
  })
})

describe('a watch over them', () => {
  /** The two files behind a link, as certbot keeps them. */
  function linked(name: string, { certFile, keyFile }: TestCertificate) {
    const home = join(folder.path, name)
    mkdirSync(home)
    const link = (from: string, to: string) => {
      symlinkSync(from, `${join(home, to)}.new`)
      renameSync(`${join(home, to)}.new`, join(home, to))
    }
    link(certFile, 'cert.pem')
    link(keyFile, 'key.pem')
    const files = {
      cert: join(home, 'cert.pem'),
      key: join(home, 'key.pem'),
      ca: authority.certFile,
    }
    return { files, link }
  }

  it('gives the new certificate once its key has come too', async () => {
    const { files, link } = linked('watched', first)
    const { log, lines } = recordingLog()
    const taken: TlsCredentials[] = []
    const onChange = (credentials: TlsCredentials) => taken.push(credentials)
    const current = await readTlsFiles(files)
    await using _watch = watchTlsFiles(files, { current, everyMs: 10, onChange, log })
    link(second.certFile, 'cert.pem')
    const warned = () => lines.filter(({ msg }) => msg.includes('kept the TLS certificate'))
    await waitUntil('the half renewal is told', () => warned().length > 0)
    expect(taken).toEqual([])
    link(second.keyFile, 'key.pem')
    await waitUntil('the new certificate is taken', () => taken.length > 0)
    expect(taken.map(({ cert }) => cert)).toEqual([second.cert])
    expect(warned()).toHaveLength(1)
  })
})
