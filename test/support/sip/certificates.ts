import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A certificate and its key, as texts and as files. */
export interface TestCertificate {
  readonly certFile: string
  readonly keyFile: string
  readonly cert: string
  readonly key: string
}

/** An authority of one test, made by openssl: it signs certificates for the names that it is given. */
export interface TestAuthority extends TestCertificate {
  /** `names` are the entries of subjectAltName: `DNS:sip.example`, `IP:127.0.0.1`. */
  issue(name: string, names: readonly string[], days?: number): Promise<TestCertificate>
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

export async function makeAuthority(folder: string, name = 'authority'): Promise<TestAuthority> {
  const run = promisify(execFile)
  const make = async (
    file: string,
    more: readonly string[],
    days = 60,
  ): Promise<TestCertificate> => {
    const certFile = join(folder, `${file}.cert.pem`)
    const keyFile = join(folder, `${file}.key.pem`)
    const files = ['-keyout', keyFile, '-out', certFile, '-subj', `/CN=${file}`, '-days', `${days}`]
    await run('openssl', ['req', '-x509', ...NEW_KEY, ...files, ...more])
    return {
      certFile,
      keyFile,
      cert: readFileSync(certFile, 'utf8'),
      key: readFileSync(keyFile, 'utf8'),
    }
  }
  const own = await make(name, [])
  return {
    ...own,
    issue: (file, names, days) =>
      make(
        file,
        [
          ...['-CA', own.certFile, '-CAkey', own.keyFile],
          ...['-addext', `subjectAltName=${names.join(',')}`],
          ...['-addext', 'basicConstraints=critical,CA:FALSE'],
        ],
        days,
      ),
  }
}
