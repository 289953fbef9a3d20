/** The body of a `submit_sm` (SMPP 3.4 §4.4.1). Pure. */
import { isShortCode } from '../../../destinations/short-code.js'
import { gsmOctets } from '../../segments/gsm-alphabet.js'
import type { Encoding } from '../../segments/segment-text.js'
import { parameterField, TAG, textField } from './fields.js'
import { type JoinedPart, writeHeader } from './joined-part.js'

export interface SubmittedPart {
  /** A number in E.164. */
  readonly from: string
  /** A number in E.164, or a short code. */
  readonly to: string
  /** The type of number (§5.2.5) by which the SMSC knows short codes. */
  readonly shortCodeType: number
  readonly encoding: Encoding
  readonly text: string
  /** Absent for a message of one part. */
  readonly part: JoinedPart | undefined
  /** How the parts of a message are joined. */
  readonly joinedBy: 'udh' | 'sar'
}

/** Short codes are of no numbering plan (§5.2.6). */
const NO_PLAN = 0

/** The flag of `esm_class` that a header precedes the text (§5.2.12). */
const HAS_HEADER = 0x40
/** The alphabets of `data_coding` (§5.2.19). */
const CODING: Readonly<Record<Encoding, number>> = { 'GSM-7': 0, 'UCS-2': 8 }
/** `registered_delivery`: a receipt of the final outcome (§5.2.17). */
const RECEIPT_WANTED = 1

export function submitBody(message: SubmittedPart): Buffer {
  const { part, joinedBy, encoding } = message
  const hasHeader = part !== undefined && joinedBy === 'udh'
  const text = encoding === 'GSM-7' ? gsmOctets(message.text) : utf16(message.text)
  const data = hasHeader ? Buffer.concat([writeHeader(part), text]) : text
  return Buffer.concat([
    textField(''),
    address(message.from),
    recipient(message),
    Buffer.from([hasHeader ? HAS_HEADER : 0, 0, 0]),
    // Now, and for as long as the SMSC wishes.
    textField(''),
    textField(''),
    Buffer.from([RECEIPT_WANTED, 0, CODING[encoding], 0, data.length]),
    data,
    ...(part === undefined || hasHeader ? [] : sarParameters(part)),
  ])
}

function recipient({ to, shortCodeType }: Pick<SubmittedPart, 'to' | 'shortCodeType'>): Buffer {
  if (!isShortCode(to)) return address(to)
  return Buffer.concat([Buffer.from([shortCodeType, NO_PLAN]), textField(to)])
}

/** An international number of the telephone plan (§5.2.5, §5.2.6), without its plus sign. */
function address(e164: string): Buffer {
  return Buffer.concat([Buffer.from([1, 1]), textField(e164.replace(/^\+/, ''))])
}

function utf16(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16()
}

function sarParameters({ reference, total, number }: JoinedPart): Buffer[] {
  const [high, low] = [(reference >> 8) & 0xff, reference & 0xff]
  return [
    parameterField(TAG.sarReference, Buffer.from([high, low])),
    parameterField(TAG.sarTotal, Buffer.from([total])),
    parameterField(TAG.sarNumber, Buffer.from([number])),
  ]
}
