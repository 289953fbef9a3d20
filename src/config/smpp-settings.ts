/** Reads the URLs of short message centres: `smpp://SYSTEM_ID:PASSWORD@HOST:PORT?bind=…`. */
import type { EnvReader } from './env-reader.js'

export interface SmscSettings {
  readonly host: string
  readonly port: number
  /** True for TLS, whose certificate must be of the host and of a known authority. */
  readonly isSecure: boolean
  readonly systemId: string
  readonly password: string
  readonly systemType: string
  /** One connection for both directions, or one for each. */
  readonly bind: 'transceiver' | 'separate'
  /** The requests that may wait for their response at once. */
  readonly window: number
  readonly joinedBy: 'udh' | 'sar'
  /** Spelling of ids in receipts, relative to those of responses. */
  readonly receiptId: 'any' | 'same' | 'decimal' | 'hex'
  /** The type of number (TON, §5.2.5) by which it knows short codes; undefined: it takes none. */
  readonly shortCodeType: number | undefined
}

const PORT = 2775
const SECURE_PORT = 3550
const WINDOW = 10
const MAX_WINDOW = 1_000
const SHORT_CODE_TYPES: ReadonlyMap<string, number | undefined> = new Map([
  ['refused', undefined],
  ['unknown', 0],
  ['network', 3],
  ['abbreviated', 6],
])

/** Reads the URLs of `SMPP_URLS`, which white space divides. A problem shows no password. */
export function readSmscs(reader: EnvReader, problems: string[]): readonly SmscSettings[] {
  const urls = (reader.optional('SMPP_URLS') ?? '').split(/\s+/).filter(Boolean)
  try {
    return urls.map(readSmsc)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    problems.push(`SMPP_URLS: ${error.message}`)
    return []
  }
}

/** Throws RangeError. */
function readSmsc(text: string): SmscSettings {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^smpps?:$/.test(url.protocol) || url.hostname === '')
    throw new RangeError('must have the form smpp://SYSTEM_ID:PASSWORD@HOST:PORT, or smpps:')
  const isSecure = url.protocol === 'smpps:'
  const given = new Map(url.searchParams)
  const take = (name: string, fallback: string, isValid: (value: string) => boolean) => {
    const value = given.get(name) ?? fallback
    given.delete(name)
    if (!isValid(value)) throw new RangeError(`${name} cannot be ${JSON.stringify(value)}`)
    return value
  }
  const bind = take('bind', 'transceiver', (value) => /^(transceiver|separate)$/.test(value))
  const joinedBy = take('joined', 'udh', (value) => /^(udh|sar)$/.test(value))
  const receiptId = take('receipt_id', 'any', (value) => isReceiptId(value))
  const shortCodes = take('short_codes', 'refused', (value) => SHORT_CODE_TYPES.has(value))
  const window = take('window', String(WINDOW), isWindow)
  const systemType = take('system_type', '', (value) => /^[ -~]{0,12}$/.test(value))
  const [unknown] = given.keys()
  if (unknown !== undefined) throw new RangeError(`has the unknown parameter ${unknown}`)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isSecure ? SECURE_PORT : PORT) : Number(url.port),
    isSecure,
    systemId: credential(url.username, 15, 'system id'),
    password: credential(url.password, 8, 'password'),
    systemType,
    bind: bind === 'separate' ? 'separate' : 'transceiver',
    window: Number(window),
    joinedBy: joinedBy === 'sar' ? 'sar' : 'udh',
    receiptId: isReceiptId(receiptId) ? receiptId : 'any',
    shortCodeType: SHORT_CODE_TYPES.get(shortCodes),
  }
}

function isReceiptId(value: string): value is SmscSettings['receiptId'] {
  return ['any', 'same', 'decimal', 'hex'].includes(value)
}

function isWindow(value: string): boolean {
  return /^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_WINDOW
}

/** The sizes of §4.1.1, without the NUL. */
function credential(coded: string, max: number, what: string): string {
  let value: string
  try {
    value = decodeURIComponent(coded)
  } catch {
    throw new RangeError(`has a ${what} with a bad percent sign: write %25 for it`)
  }
  if (!/^[ -~]*$/.test(value) || value.length > max)
    throw new RangeError(`has a ${what} that is not ${max} ASCII characters at most`)
  return value
}
