/** What a `deliver_sm` brings: a receipt or a message (SMPP 3.4 §4.6.1, §5.2.12, appendix B). Pure. */
import { isShortCode } from '../../../destinations/short-code.js'
import { isSenderName } from '../../rules/sender-name.js'
import { gsmText } from '../../segments/gsm-alphabet.js'
import { FieldReader, TAG } from './fields.js'
import { type JoinedPart, readHeader, readParameters } from './joined-part.js'
import { SmppFormatError } from './pdu.js'

export type Delivered =
  | {
      readonly type: 'receipt'
      readonly id: string
      readonly state: string
      /** The recipient of the message: E.164 or a short code; undefined for an address that is neither. */
      readonly from: string | undefined
    }
  | {
      readonly type: 'message'
      /** The numbers in E.164; undefined for a sender or a destination that has none. */
      readonly from: string | undefined
      readonly to: string | undefined
      /**
       * The text of a part may begin or end with one half of a surrogate pair, or end with an escape of
       * the GSM alphabet: `joinedTexts` makes a text of the parts.
       */
      readonly text: string
      readonly part: JoinedPart | undefined
    }

const TYPE_BITS = 0x3c
/** A receipt of the final outcome, and a notification on the way to it. */
const RECEIPTS: readonly number[] = [0x04, 0x20]
const HAS_HEADER = 0x40
/** The words of the values of `message_state` (§5.2.28), from 1. */
const STATES = [
  ...(['ENROUTE', 'DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV'] as const),
  ...(['ACCEPTD', 'UNKNOWN', 'REJECTD'] as const),
] as const

type Alphabet = 'gsm' | 'octets' | 'ucs2' | 'ascii' | Charset

type Charset = 'shift_jis' | 'iso-8859-5' | 'iso-8859-8' | 'iso-2022-jp' | 'euc-kr'

/** The values that SMPP gives an alphabet of their own; octets are read as Latin-1. */
const OWN: ReadonlyMap<number, Alphabet> = new Map<number, Alphabet>([
  [1, 'ascii'],
  [2, 'octets'],
  [3, 'octets'],
  [4, 'octets'],
  [5, 'shift_jis'],
  [6, 'iso-8859-5'],
  [7, 'iso-8859-8'],
  [8, 'ucs2'],
  [10, 'iso-2022-jp'],
  [14, 'euc-kr'],
])
const CLASSED: readonly Alphabet[] = ['gsm', 'octets', 'ucs2', 'gsm']

/** Throws SmppFormatError for a body that is none. */
export function readDelivered(body: Buffer): Delivered {
  const fields = new FieldReader(body)
  fields.text(6)
  const from = senderOf(readAddress(fields))
  const to = numberOf(readAddress(fields))
  const esmClass = fields.byte()
  fields.octets(2)
  fields.text(17)
  fields.text(17)
  fields.octets(2)
  const coding = fields.byte()
  fields.byte()
  const short = fields.octets(fields.byte())
  const parameters = fields.parameters()
  const data = short.length > 0 ? short : (parameters.get(TAG.messagePayload) ?? short)
  if (RECEIPTS.includes(esmClass & TYPE_BITS)) return { ...receiptOf(data, parameters), from }
  const { part, text } =
    (esmClass & HAS_HEADER) === 0
      ? { part: readParameters(parameters), text: data }
      : readHeader(data)
  return { type: 'message', from, to, text: decoded(text, coding), part }
}

/** The text of octets. In UCS-2 a half of a surrogate pair at an end is kept as it is. */
function decoded(data: Buffer, coding: number): string {
  const alphabet = alphabetOf(coding)
  switch (alphabet) {
    case 'gsm':
      return gsmText(data)
    case 'octets':
      return data.toString('latin1')
    case 'ascii':
      return data.toString('ascii')
    case 'ucs2':
      return utf16Text(data)
    default:
      return new TextDecoder(alphabet).decode(data)
  }
}

function alphabetOf(coding: number): Alphabet {
  if (coding < 0x10) return OWN.get(coding) ?? 'gsm'
  // What SMPP leaves to GSM: a class (flash and others), or the sign that a message waits.
  if (coding < 0x40) return CLASSED[(coding >> 2) & 0x03] ?? 'gsm'
  if (coding >= 0xf0) return (coding & 0x04) === 0 ? 'gsm' : 'octets'
  return coding >= 0xe0 ? 'ucs2' : 'gsm'
}

/** An octet that is left over makes no character. */
function utf16Text(data: Buffer): string {
  const units = Buffer.from(data.subarray(0, data.length - (data.length % 2)))
  return units
    .swap16()
    .toString('utf16le')
    .replace(/^\ufeff/, '')
}

function receiptOf(data: Buffer, parameters: ReadonlyMap<number, Buffer>) {
  const text = data.toString('latin1')
  const id = parameters.get(TAG.receiptedMessageId)?.toString('latin1').replace(/\0.*/s, '')
  const state = parameters.get(TAG.messageState)?.[0]
  const named = id ?? /\bid:(\S+)/i.exec(text)?.[1]
  if (named === undefined || named === '') throw new SmppFormatError('a receipt without an id')
  const word = STATES[(state ?? 0) - 1]
  return {
    type: 'receipt' as const,
    id: named,
    state: word ?? /\bstat:(\S+)/i.exec(text)?.[1] ?? '',
  }
}

/** The types of numbers whose digits are a number of the world (§5.2.5). */
const UNKNOWN = 0
const INTERNATIONAL = 1
const NATIONAL = 2

const SUBSCRIBER = 4
const ALPHANUMERIC = 5

interface Address {
  readonly type: number
  readonly text: string
}

function readAddress(fields: FieldReader): Address {
  const type = fields.byte()
  fields.byte()
  return { type, text: fields.text(21) }
}

/** A number, else a short code or a name. */
function senderOf(address: Address): string | undefined {
  const { type, text } = address
  const number = numberOf(address)
  if (number !== undefined) return number
  if (isShortCode(text)) return [INTERNATIONAL, SUBSCRIBER].includes(type) ? undefined : text
  // Some SMSCs do not say that a name is one.
  return [UNKNOWN, ALPHANUMERIC].includes(type) && isSenderName(text) ? text.trim() : undefined
}

/** A number of digits, with or without its plus sign; a name or a short code is none. */
function numberOf({ type, text }: Address): string | undefined {
  if (![UNKNOWN, INTERNATIONAL, NATIONAL].includes(type)) return undefined
  const digits = /^\+?([1-9]\d{6,14})$/.exec(text)?.[1]
  if (digits === undefined) return undefined
  return type === NATIONAL && !text.startsWith('+') ? ofNorthAmerica(digits) : `+${digits}`
}

/** A national number does not say of which country it is: only ten digits of the plan here are known. */
function ofNorthAmerica(digits: string): string | undefined {
  const national = /^1?([2-9]\d{2}[2-9]\d{6})$/.exec(digits)?.[1]
  return national === undefined ? undefined : `+1${national}`
}
