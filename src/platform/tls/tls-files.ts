/** Reads a certificate and its key from files, and checks that they match. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** The paths of PEM files. */
export interface TlsFiles {
  /** The certificate, followed by its intermediate certificates. */
  readonly cert: string
  readonly key: string
  /** The certificate authorities for outbound connections; undefined for the system's. */
  readonly ca: string | undefined
}

/** The contents of the files, checked to match. */
export interface TlsCredentials {
  readonly cert: string
  readonly key: string
  readonly ca: string
  /** The certificate's validity period, epoch milliseconds. */
  readonly validFrom: number
  readonly validTo: number
}

/** A file cannot be used. The message names the reason for an operator. */
export class TlsFilesError extends Error {
  override readonly name = 'TlsFilesError'
  /** The file that is missing or wrong. */
  readonly file: keyof TlsFiles

  constructor(file: keyof TlsFiles, message: string, options?: ErrorOptions) {
    super(message, options)
    this.file = file
  }
}

/** Paths of the system's authorities on Debian, Red Hat, Alpine and macOS. */
const SYSTEM_AUTHORITIES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/cert.pem',
]
const MAX_BYTES = 4 * 1024 * 1024

/** Reads the files. Rejects with a `TlsFilesError` when one is missing or does not fit. */
export async function readTlsFiles(files: TlsFiles): Promise<TlsCredentials> {
  const cert = await readText('cert', files.cert)
  const key = await readText('key', files.key)
  const first = certificateIn('cert', files.cert, cert)
  if (!first.checkPrivateKey(privateKeyIn(files.key, key)))
    throw new TlsFilesError('key', `${files.key} is not the key of the certificate ${files.cert}`)
  return {
    cert,
    key,
    ca: await readAuthorities(files.ca),
    validFrom: Date.parse(first.validFrom),
    validTo: Date.parse(first.validTo),
  }
}

async function readAuthorities(path: string | undefined): Promise<string> {
  if (path !== undefined) {
    const text = await readText('ca', path)
    certificateIn('ca', path, text)
    return text
  }
  for (const place of SYSTEM_AUTHORITIES) {
    // An existing file that cannot be read is an error: without it no other server would be trusted.
    if (existsSync(place)) return await readText('ca', place)
  }
  return ''
}

async function readText(file: keyof TlsFiles, path: string): Promise<string> {
  try {
    const bytes = await readFile(path)
    if (bytes.length > MAX_BYTES) throw new TlsFilesError(file, `${path} is too large`)
    return bytes.toString('utf8')
  } catch (cause) {
    if (cause instanceof TlsFilesError) throw cause
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    const why =
      code === 'ENOENT'
        ? 'does not exist'
        : code === 'EACCES'
          ? 'may not be read by this user'
          : `cannot be read (${String(code)})`
    throw new TlsFilesError(file, `${path} ${why}`, { cause })
  }
}

function certificateIn(file: 'cert' | 'ca', path: string, text: string): X509Certificate {
  try {
    return new X509Certificate(text)
  } catch (cause) {
    throw new TlsFilesError(file, `${path} holds no certificate in PEM form`, { cause })
  }
}

function privateKeyIn(path: string, text: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch (cause) {
    const isLocked = text.includes('ENCRYPTED')
    const why = isLocked ? 'is protected by a passphrase' : 'holds no private key in PEM form'
    throw new TlsFilesError('key', `${path} ${why}`, { cause })
  }
}
