import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A certificate and its key, as texts and files. */
export interface TestCertificate {
  readonly certFile: string
  readonly keyFile: string
  readonly cert: string
  readonly key: string
}

/** An authority for one test, created with openssl, that signs certificates for given names. */
export interface TestAuthority extends TestCertificate {
  /** `names`: entries of subjectAltName, such as `DNS:sip.example` and `IP:127.0.0.1`. */
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
