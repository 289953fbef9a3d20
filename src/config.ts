/**
 * Reads the environment into a typed, checked configuration; no other file reads it. All errors are
 * reported together, each with the variable's name. The table in the README lists every name.
 */
import { isIP } from 'node:net'
import { type Env, EnvReader } from './config/env-reader.js'
import { misspeltSettings } from './config/misspelt-settings.js'
import {
  type MessageProviderConfig,
  type ProviderConfig,
  type RecogniserConfig,
  type RegistryUpstreamConfig,
  readEventSignatures,
  readMessageProvider,
  readProvider,
  readRecogniser,
  readRegistryUpstream,
} from './config/provider-settings.js'
import { readServers, type Servers } from './config/server-settings.js'
import { readSmscs, type SmscSettings } from './config/smpp-settings.js'
import { readSpeech, type SpeechSettings } from './config/speech-settings.js'
import { readTls, type TlsSettings } from './config/tls-settings.js'
import { readTraces, type TraceSettings } from './config/trace-settings.js'
import { isLoopback } from './platform/cidr.js'
import { type BucketSettings, bucketPlace } from './platform/files/bucket-place.js'
import { LOG_FORMATS, type LogFormat } from './platform/log.js'
import type { SignatureHeader } from './platform/outbox/signed-event.js'
import { DEFAULT_SIGNATURE_HEADERS } from './platform/webhooks/signature.js'

export interface Config {
  readonly http: ListenAddress & {
    /** The rate of requests of one account. */
    readonly requestsPerSecond: number
    /**
     * The requests of one address in an hour to each operation of the account API that is limited
     * so; 0: no limit.
     */
    readonly requestsPerHour: number
    /** The addresses and CIDRs of proxies whose X-Forwarded-For is trusted. */
    readonly trustedProxies: readonly string[]
  }
  readonly admin: ListenAddress & { readonly token: string | undefined }
  /** The base of absolute URLs of recordings, and of resources in webhooks. */
  readonly publicUrl: string | undefined
  /**
   * The SIP listener; `sourceRate` is the number of new requests a second that one address may
   * send.
   */
  readonly sip: ListenAddress & {
    readonly sourceRate: number
    /** SIP over TLS in the lab; undefined for none. */
    readonly tls: TlsSettings | undefined
  }
  /** The file of the authorities whose certificates may sign callers (STIR/SHAKEN), in PEM. */
  readonly stirTrustAnchors: string | undefined
  readonly speech: SpeechSettings
  /** Undefined: no traces. */
  readonly traces: TraceSettings | undefined
  readonly rtpPorts: { readonly first: number; readonly last: number }
  /** The relays that the lab takes RTP from although neither SDP nor signaling names them. */
  readonly mediaRelays: readonly string[]
  /** The secret by which a payment provider signs its news; undefined: no webhook for it. */
  readonly paymentWebhookSecret: string | undefined
  readonly dataDir: string
  readonly database: {
    /** The URL of the PostgreSQL database; undefined for SQLite in the data folder. */
    readonly url: string | undefined
    /**
     * The name of this process among those that share the database; undefined for the one that the
     * data folder keeps.
     */
    readonly nodeId: string | undefined
    /** The time after which a node that shows no life is declared dead by the others. */
    readonly nodeLeaseSeconds: number
  }
  readonly media: {
    /**
     * How media servers come by files: a folder that they share with this server, or HTTP requests
     * to it.
     */
    readonly files: 'folder' | 'http'
    /**
     * The folder of recordings by the media server's path; undefined when it has the same path
     * here.
     */
    readonly recordingsDir: string | undefined
  }
  /** The bucket for finished files; undefined when they are kept in `dataDir`. */
  readonly bucket: BucketSettings | undefined
  /** The room for copies of the bucket's files in `dataDir`. */
  readonly fileCacheBytes: number
  readonly servers: Servers
  readonly firstAccount: { readonly sid: string | undefined; readonly token: string | undefined }
  /** The time that live calls have to end after SIGTERM. */
  readonly drainSeconds: number
  readonly logLevel: string
  readonly logFormat: LogFormat
  /** The number of days that events of calls are kept. */
  readonly eventRetentionDays: number
  /** Private address ranges that webhooks may reach. */
  readonly allowedPrivateCidrs: readonly string[]
  /** Names of the headers that carry the signature of a webhook. */
  readonly signatureHeaders: readonly string[]
  readonly calls: {
    /** The number of calls that may be under way at once. */
    readonly max: number
    /**
     * The number of an account's calls that start in a second, unless its own settings say
     * otherwise.
     */
    readonly perSecond: number
    /** The number of an account's calls that may wait for their turn. */
    readonly maxWaiting: number
    /** The delay in milliseconds beyond which new calls are refused; 0 refuses none. */
    readonly maxDelayMs: number
    /** The seconds of talking that are reserved for a rated call, and by which it is renewed. */
    readonly reserveSeconds: number
    /** E.164 prefixes that no call is placed to. */
    readonly blockedPrefixes: readonly string[]
    /** The From of calls that verify a caller ID; undefined: the number that is verified. */
    readonly verificationFrom: string | undefined
  }
  /** The numbers that accounts may claim: any that nobody holds, or the inventory's alone. */
  readonly numberClaims: 'any' | 'inventory'
  /** What answers for losing carriers: a simulation by the clock, the operator alone, or a provider. */
  readonly portCarrier: 'simulated' | 'operator' | ProviderConfig
  /** The short message centres that messages go through; none: the simulated carrier takes them. */
  readonly smscs: readonly SmscSettings[]
  /** The server that messages go through by HTTP; undefined for none. */
  readonly messageProvider: MessageProviderConfig | undefined
  /** The server that mails go through; without a URL they are kept in `dataDir`. */
  readonly mail: { readonly smtpUrl: string | undefined; readonly from: string }
  /** Short codes, or beginnings of them, that no message is sent to. */
  readonly blockedShortCodes: readonly string[]
  /** A registry of another system that campaigns can be shared with. */
  readonly registryUpstream: RegistryUpstreamConfig | undefined
  /** The headers that carry the signature of the registry's events. */
  readonly registrySignatures: readonly SignatureHeader[]
  /** The recogniser that `trunkline hear` tries; undefined: none. */
  readonly recogniser: RecogniserConfig | undefined
  /** A provider of emergency addresses; undefined: addresses are judged by their form alone. */
  readonly emergencyProvider: ProviderConfig | undefined
  /** A provider that numbers are ordered from beside the inventory; undefined for none. */
  readonly numberProvider: ProviderConfig | undefined
  /** A provider of look-ups; undefined: what this system knows of its own numbers. */
  readonly lookupProvider: ProviderConfig | undefined
  readonly lab: {
    readonly recordingsDir: string | undefined
    readonly commandLog: string | undefined
    /** The server that gets a copy of each SIP message by HEP3; undefined for none. */
    readonly hep: HepAddress | undefined
  }
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

interface HepAddress extends ListenAddress {
  readonly captureId: number
}

const BUCKET = 'FILES_BUCKET'
const BUCKET_KEY = ['FILES_ACCESS_KEY_ID', 'FILES_SECRET_ACCESS_KEY']
const BUCKET_DETAILS = ['FILES_REGION', 'FILES_PREFIX', 'FILES_KMS_KEY_ID', ...BUCKET_KEY]

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The characters of a token that others may try. */
const MIN_ADMIN_TOKEN = 16
const MEBIBYTE = 1024 * 1024
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export function readConfig(env: Env): Config {
  const problems: string[] = []
  const reader = new EnvReader(env, problems)
  const servers = readServers(reader, problems)
  const config: Config = {
    http: readHttp(reader),
    admin: readAdmin(reader, problems),
    publicUrl: reader.publicUrl('PUBLIC_URL'),
    sip: {
      host: reader.address('SIP_HOST', '127.0.0.1'),
      port: reader.port('SIP_PORT', 5060),
      sourceRate: reader.atLeastOne('SIP_SOURCE_RATE', 250),
      tls: readTls(reader, problems),
    },
    stirTrustAnchors: reader.optional('STIR_TRUST_ANCHORS'),
    speech: readSpeech(reader, problems),
    traces: readTraces(reader, problems),
    rtpPorts: reader.portRange('RTP_PORTS', '20000-24000'),
    mediaRelays: reader.ranges('MEDIA_RELAY_CIDRS'),
    paymentWebhookSecret: reader.sharedSecret('PAYMENT_WEBHOOK_SECRET'),
    dataDir: reader.text('DATA_DIR', './data'),
    database: readDatabase(reader),
    media: readMedia(reader),
    bucket: readBucket(reader, problems),
    fileCacheBytes: MEBIBYTE * reader.atLeastOne('FILES_CACHE_MEGABYTES', 2_048),
    servers,
    firstAccount: readFirstAccount(reader),
    logLevel: reader.choice('LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: reader.choice('LOG_FORMAT', LOG_FORMATS, 'auto'),
    drainSeconds: reader.wholeNumber('DRAIN_SECONDS', 30, { from: 0, to: 86_400 }),
    eventRetentionDays: reader.wholeNumber('EVENT_RETENTION_DAYS', 30, { from: 1, to: 3_650 }),
    allowedPrivateCidrs: reader.ranges('WEBHOOK_ALLOW_CIDRS'),
    signatureHeaders: reader.headerNames('WEBHOOK_SIGNATURE_HEADERS', DEFAULT_SIGNATURE_HEADERS),
    calls: readCalls(reader),
    numberClaims: reader.choice('NUMBER_CLAIMS', ['any', 'inventory'], 'any'),
    portCarrier: readPortCarrier(reader, servers),
    smscs: readSmscs(reader, problems),
    blockedShortCodes: reader.codes('BLOCKED_SHORT_CODES'),
    mail: readMail(reader),
    registryUpstream: readRegistryUpstream(reader),
    registrySignatures: readEventSignatures(reader),
    emergencyProvider: readProvider(reader, 'EMERGENCY_PROVIDER'),
    lookupProvider: readProvider(reader, 'LOOKUP_PROVIDER'),
    numberProvider: readProvider(reader, 'NUMBER_PROVIDER'),
    recogniser: readRecogniser(reader),
    messageProvider: readMessageProvider(reader),
    lab: readLab(reader),
  }
  problems.push(...misspeltSettings(Object.keys(env), reader.names))
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return config
}

function readHttp(reader: EnvReader): Config['http'] {
  return {
    host: reader.text('HTTP_HOST', '127.0.0.1'),
    port: reader.port('HTTP_PORT', 8080),
    requestsPerSecond: reader.atLeastOne('HTTP_REQUESTS_PER_SECOND', 1_000),
    requestsPerHour: reader.wholeNumber('ACCOUNT_REQUESTS_PER_HOUR', 6, {
      from: 0,
      to: 1_000_000,
    }),
    trustedProxies: reader.ranges('TRUSTED_PROXIES'),
  }
}

/** Reads what names the bucket for files, and opens it; undefined when nothing does. */
function readBucket(reader: EnvReader, problems: string[]): BucketSettings | undefined {
  reader.needed(BUCKET, BUCKET_DETAILS)
  const bucket = reader.optional(BUCKET)
  if (bucket === undefined) return undefined
  const settings = {
    bucket,
    region: reader.optional('FILES_REGION'),
    prefix: reader.optional('FILES_PREFIX'),
    accessKeyId: reader.optional('FILES_ACCESS_KEY_ID'),
    secretAccessKey: reader.optional('FILES_SECRET_ACCESS_KEY'),
    kmsKeyId: reader.optional('FILES_KMS_KEY_ID'),
  }
  for (const name of BUCKET_KEY) reader.needed(name, [BUCKET])
  if (settings.region === undefined && !URL.canParse(bucket)) {
    problems.push(`FILES_REGION: needed because ${BUCKET} is a name, not a URL`)
    return settings
  }
  const place = bucketPlace(settings, 'file')
  // The reasons are in the words of an account's settings, which have the same names.
  if (place.type === 'invalid') problems.push(place.reason.replace(/^Storage(\w+)/, variableOf))
  return settings
}

/** `StorageBucket` is `FILES_BUCKET` here. */
function variableOf(_match: string, name: string): string {
  return `FILES${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}:`
}

/** The private listener gives everything away: beyond this machine its token is no short word. */
function readAdmin(reader: EnvReader, problems: string[]): Config['admin'] {
  const host = reader.text('ADMIN_HOST', '127.0.0.1')
  const token = reader.token('ADMIN_TOKEN')
  if (token !== undefined && token.length < MIN_ADMIN_TOKEN && !isLoopback(host))
    problems.push(
      `ADMIN_TOKEN: must have at least ${MIN_ADMIN_TOKEN} characters because ADMIN_HOST is ${host}`,
    )
  return { host, port: reader.port('ADMIN_PORT', 8081), token }
}

function readMedia(reader: EnvReader): Config['media'] {
  const files = reader.choice('MEDIA_FILES', ['folder', 'http'], 'folder')
  if (files === 'folder') return { files, recordingsDir: reader.optional('MEDIA_RECORDINGS_DIR') }
  // Commands of FreeSWITCH that send files know no quotes.
  const path = /^\/(?!.*\.\.)[\w./-]{1,200}$/
  const what = 'an absolute path of A-Z a-z 0-9 . _ - /'
  const recordingsDir = reader.pattern('MEDIA_RECORDINGS_DIR', path, what) ?? '/var/tmp/trunkline'
  return { files, recordingsDir }
}

function readLab(reader: EnvReader): Config['lab'] {
  return {
    recordingsDir: reader.optional('LAB_RECORDINGS_DIR'),
    commandLog: reader.optional('LAB_COMMAND_LOG'),
    hep: readHep(reader),
  }
}

function readHep(reader: EnvReader): HepAddress | undefined {
  reader.needed('HEP_ADDRESS', ['HEP_CAPTURE_ID'])
  const captureId = reader.wholeNumber('HEP_CAPTURE_ID', 1, { from: 0, to: 999_999_999 })
  const form = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/
  const value = reader.pattern('HEP_ADDRESS', form, 'HOST:PORT') ?? ''
  const [, v6, name, port] = form.exec(value) ?? []
  const host = v6 ?? name
  return host === undefined ? undefined : { host, port: Number(port), captureId }
}

/** A simulation beside real servers would give customers numbers that nobody has ported. */
function readPortCarrier(reader: EnvReader, servers: Servers): Config['portCarrier'] {
  const provider = readProvider(reader, 'PORT_CARRIER')
  const fallback = servers.type === 'lab' ? 'simulated' : 'operator'
  const chosen = reader.choice('PORT_CARRIER', ['simulated', 'operator'], fallback)
  return provider ?? chosen
}

function readMail(reader: EnvReader): Config['mail'] {
  return {
    smtpUrl: reader.smtpUrl('SMTP_URL'),
    from: reader.mailbox('MAIL_FROM', 'Trunkline <no-reply@localhost>'),
  }
}

function readDatabase(reader: EnvReader): Config['database'] {
  const nodeId = reader.pattern('NODE_ID', /^[A-Za-z0-9._-]{1,64}$/, '1 to 64 of A-Z a-z 0-9 . _ -')
  const nodeLeaseSeconds = reader.wholeNumber('NODE_LEASE_SECONDS', 30, { from: 3, to: 300 })
  return { url: reader.databaseUrl('DATABASE_URL'), nodeId, nodeLeaseSeconds }
}

function readCalls(reader: EnvReader): Config['calls'] {
  return {
    max: reader.atLeastOne('MAX_CALLS', 1_000),
    perSecond: reader.atLeastOne('CALLS_PER_SECOND', 10),
    maxWaiting: reader.atLeastOne('MAX_QUEUED_CALLS', 10_000),
    maxDelayMs: reader.wholeNumber('MAX_CALL_DELAY_MS', 200, { from: 0, to: 60_000 }),
    reserveSeconds: reader.atLeastOne('CALL_RESERVE_SECONDS', 60),
    blockedPrefixes: reader.prefixes('BLOCKED_PREFIXES'),
    verificationFrom: reader.pattern(
      'VERIFICATION_CALLER_ID',
      /^\+[1-9][0-9]{6,14}$/,
      'a number in E.164 form',
    ),
  }
}

function readFirstAccount(reader: EnvReader): Config['firstAccount'] {
  return {
    sid: reader.pattern('FIRST_ACCOUNT_SID', /^AC[0-9a-f]{32}$/, 'AC and 32 lower-case hex digits'),
    token: reader.pattern('FIRST_ACCOUNT_TOKEN', /^[0-9a-f]{32}$/, '32 lower-case hex digits'),
  }
}

/** Writes a listener as `host:port`, an IPv6 address in brackets (RFC 3986 §3.2.2). */
export function hostPort({ host, port }: ListenAddress): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`
}
