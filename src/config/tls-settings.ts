import type { TlsFiles } from '../platform/tls/tls-files.js'
import type { EnvReader } from './env-reader.js'

/** The settings that name the files of a certificate. */
export const TLS_SETTINGS = { cert: 'SIP_TLS_CERT', key: 'SIP_TLS_KEY', ca: 'SIP_TLS_CA' } as const

/** SIP over TLS: the files and the port of the listener. */
export interface TlsSettings {
  readonly files: TlsFiles
  readonly port: number
}

/** Reads what names a certificate; undefined when nothing does. */
export function readTls(reader: EnvReader, problems: string[]): TlsSettings | undefined {
  const cert = reader.optional(TLS_SETTINGS.cert)
  const key = reader.optional(TLS_SETTINGS.key)
  const ca = reader.optional(TLS_SETTINGS.ca)
  const port = reader.port('SIP_TLS_PORT', 5061)
  if (cert !== undefined && key !== undefined) return { files: { cert, key, ca }, port }
  const given = cert !== undefined ? 'cert' : key !== undefined ? 'key' : 'ca'
  if (cert === undefined && key === undefined && ca === undefined) return undefined
  for (const [name, value] of [['cert', cert] as const, ['key', key] as const])
    if (value === undefined)
      problems.push(`${TLS_SETTINGS[name]}: needed because ${TLS_SETTINGS[given]} is set`)
  return undefined
}
