/**
 * The place of a part in a longer message: by the user data header (3GPP TS 23.040 §9.2.3.24.1 and
 * §9.2.3.24.8), or by the `sar_` parameters (SMPP 3.4 §5.3.2.22 and after). Pure.
 */
import { TAG } from './fields.js'

export interface JoinedPart {
  /** The same for all parts of a message. */
  readonly reference: number
  readonly total: number
  /** From 1. */
  readonly number: number
}

const SHORT_REFERENCE = 0x00
const LONG_REFERENCE = 0x08

export function writeHeader({ reference, total, number }: JoinedPart): Buffer {
  return Buffer.from([5, SHORT_REFERENCE, 3, reference & 0xff, total, number])
}

/** Divides user data with a header. A header that is longer than the data leaves no text. */
export function readHeader(data: Buffer): {
  readonly part: JoinedPart | undefined
  readonly text: Buffer
} {
  const end = 1 + (data[0] ?? 0)
  const header = data.subarray(1, end)
  let part: JoinedPart | undefined
  for (let at = 0; at + 2 <= header.length; at += 2 + (header[at + 1] ?? 0))
    part ??= partOf(header[at] ?? 0, header.subarray(at + 2, at + 2 + (header[at + 1] ?? 0)))
  return { part, text: data.subarray(end) }
}

function partOf(element: number, value: Buffer): JoinedPart | undefined {
  if (element === SHORT_REFERENCE && value.length === 3)
    return checked(value[0] ?? 0, value[1] ?? 0, value[2] ?? 0)
  if (element === LONG_REFERENCE && value.length === 4)
    return checked(value.readUInt16BE(0), value[2] ?? 0, value[3] ?? 0)
  return undefined
}

export function readParameters(parameters: ReadonlyMap<number, Buffer>): JoinedPart | undefined {
  const reference = parameters.get(TAG.sarReference)
  const [total, number] = [parameters.get(TAG.sarTotal), parameters.get(TAG.sarNumber)]
  if (reference?.length !== 2 || total?.length !== 1 || number?.length !== 1) return undefined
  return checked(reference.readUInt16BE(0), total[0] ?? 0, number[0] ?? 0)
}

/** A part that cannot be is ignored, as the specification wants: the text stands alone. */
function checked(reference: number, total: number, number: number): JoinedPart | undefined {
  return total < 2 || number < 1 || number > total ? undefined : { reference, total, number }
}
