/** Checks the certificate of SIP over TLS: its files, its time, and what the server shows. */
import { X509Certificate } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { connect } from 'node:tls'
import { TLS_SETTINGS } from '../../../config/tls-settings.js'
import type { ListenAddress } from '../../../config.js'
import { readTlsFiles, TlsFilesError } from '../../../platform/tls/tls-files.js'
import type { Facts } from './facts.js'
import { type Finding, fail, ok, warn } from './finding.js'

const SUBJECT = 'certificate'
const DAY_MS = 86_400_000
/** Certificates of 90 days are renewed a month before their end. Less time means that it failed. */
const SOON_DAYS = 21
const CONNECT_LIMIT_MS = 3_000

export async function checkCertificate({ config, readiness }: Facts): Promise<readonly Finding[]> {
  const { host, tls } = config.sip
  if (tls === undefined || config.servers.type === 'real') return []
  try {
    const { cert, validFrom, validTo } = await readTlsFiles(tls.files)
    const certificate = new X509Certificate(cert)
    return [
      timeOf(certificate, validFrom, validTo),
      ...(await readersOf(tls.files.key)),
      ...(readiness === undefined || tls.port === 0
        ? []
        : await shown({ host, port: tls.port }, certificate)),
    ]
  } catch (error) {
    if (!(error instanceof TlsFilesError)) throw error
    const advice = `correct ${TLS_SETTINGS[error.file]}: the server does not start so`
    return [fail(SUBJECT, error.message, advice)]
  }
}

function timeOf(certificate: X509Certificate, validFrom: number, validTo: number): Finding {
  const { subjectAltName, subject } = certificate
  const now = Date.now()
  const end = new Date(validTo).toISOString().slice(0, 10)
  const owner = subjectAltName ?? subject.replaceAll('\n', ', ')
  const days = Math.floor((validTo - now) / DAY_MS)
  const advice = 'renew it: the server takes the new files by itself, within seconds'
  if (validTo <= now) return fail(SUBJECT, `expired on ${end} (${owner})`, advice)
  if (validFrom > now) {
    const begin = new Date(validFrom).toISOString()
    return warn(
      SUBJECT,
      `not valid before ${begin} (${owner})`,
      'compare the clock of this machine',
    )
  }
  return days < SOON_DAYS
    ? warn(SUBJECT, `ends on ${end}, in ${days} days (${owner})`, advice)
    : ok(SUBJECT, `valid until ${end}, ${days} days (${owner})`)
}

async function readersOf(keyFile: string): Promise<readonly Finding[]> {
  const { mode } = await stat(keyFile)
  return (mode & 0o007) === 0
    ? []
    : [warn(SUBJECT, `${keyFile} is open to every user`, `chmod o-rwx ${keyFile}`)]
}

/** Compares the certificate of the files with the one that the running server shows. */
async function shown(
  { host, port }: ListenAddress,
  certificate: X509Certificate,
): Promise<readonly Finding[]> {
  const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const place = `${target}:${port}`
  const fingerprint = await fingerprintAt(target, port)
  if (fingerprint === undefined)
    return [
      fail(
        'SIP_TLS_PORT',
        `no TLS handshake with ${place}`,
        'set SIP_HOST and SIP_TLS_PORT as for the server',
      ),
    ]
  return fingerprint === certificate.fingerprint256
    ? [ok('SIP_TLS_PORT', `${place} shows this certificate`)]
    : [
        warn(
          'SIP_TLS_PORT',
          `${place} shows another certificate than the file`,
          'look for "kept the TLS certificate" in the log of the server',
        ),
      ]
}

function fingerprintAt(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    // What is shown is compared, not trusted; nothing is sent.
    const socket = connect({ host, port, rejectUnauthorized: false })
    socket.setTimeout(CONNECT_LIMIT_MS, () => {
      socket.destroy()
    })
    socket.once('secureConnect', () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256)
      socket.destroy()
    })
    socket.once('error', () => {
      resolve(undefined)
    })
    socket.once('close', () => {
      resolve(undefined)
    })
  })
}
