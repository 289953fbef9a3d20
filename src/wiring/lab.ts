import { TLS_SETTINGS } from '../config/tls-settings.js'
import { type Config, ConfigError } from '../config.js'
import { type Lab, LabStartError } from '../lab/start-lab.js'
import { systemClock } from '../platform/clock.js'
import type { Logger } from '../platform/log.js'
import { readTlsFiles, TlsFilesError } from '../platform/tls/tls-files.js'
import { type Carrier, DEFAULT_CARRIER_SETTINGS } from '../voice/carriers/carrier.js'
import { makeFolder } from './base.js'
import { listenError } from './listening.js'

/** Interval at which the certificate's files are checked, ms. */
const CERTIFICATE_CHECK_MS = 5_000

/**
 * Validates the certificate files before startup. Rejects with a `ConfigError` that names the setting; logs a
 * warning for an expired or not yet valid certificate.
 */
export async function checkCertificate({ sip }: Config, log: Logger): Promise<void> {
  if (sip.tls === undefined) return
  const { files } = sip.tls
  try {
    const { validFrom, validTo } = await readTlsFiles(files)
    const now = systemClock.now()
    const times = {
      validFrom: new Date(validFrom).toISOString(),
      validTo: new Date(validTo).toISOString(),
    }
    if (validTo <= now) log.warn(times, 'the certificate of SIP over TLS has expired')
    else if (validFrom > now) log.warn(times, 'the certificate of SIP over TLS is not valid yet')
  } catch (error) {
    if (!(error instanceof TlsFilesError)) throw error
    throw new ConfigError(`${TLS_SETTINGS[error.file]}: ${error.message}`, { cause: error })
  }
}

/** Checks the lab's output folder. Throws a `ConfigError` that names the setting. */
export function checkLabFolder({ lab }: Config): void {
  if (lab.recordingsDir !== undefined) makeFolder('LAB_RECORDINGS_DIR', lab.recordingsDir)
}

export function labOptions(config: Config) {
  const { recordingsDir, commandLog } = config.lab
  return {
    sipHost: config.sip.host,
    sipPort: config.sip.port,
    tls: config.sip.tls && { ...config.sip.tls, checkMs: CERTIFICATE_CHECK_MS },
    rtpPorts: config.rtpPorts,
    mediaRelays: config.mediaRelays,
    sourceRate: config.sip.sourceRate,
    hep: config.lab.hep,
    logLevel: config.logLevel,
    logFormat: config.logFormat,
    ...(recordingsDir === undefined ? {} : { recordingsDir }),
    ...(commandLog === undefined ? {} : { commandLogFile: commandLog }),
  }
}

/** The error for a lab address that is unavailable; undefined for any other failure. */
export function labListenError({ sip }: Config, error: unknown): ConfigError | undefined {
  if (!(error instanceof LabStartError)) return undefined
  const { host, port, tls } = sip
  if (error.port === port) return listenError('SIP_HOST, SIP_PORT', { host, port }, error)
  if (tls === undefined || error.port !== tls.port) return undefined
  return listenError('SIP_HOST, SIP_TLS_PORT', { host, port: tls.port }, error)
}

/**
 * The carrier for the lab's phones and for callers on this machine: a softphone or SIPp can call without setup.
 */
export function labCarrier(lab: Lab): Carrier {
  const [, host = '127.0.0.1', port = '5060'] = /^sip:(.*):(\d+)$/.exec(lab.phonesUri) ?? []
  return {
    name: 'lab',
    host,
    port: Number(port),
    transport: 'udp',
    prefixes: ['+1500555'],
    priority: 0,
    weight: 1,
    addresses: ['127.0.0.0/8', '::1/128'],
    settings: DEFAULT_CARRIER_SETTINGS,
  }
}
