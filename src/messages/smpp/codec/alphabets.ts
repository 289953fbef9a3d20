/** The alphabets of `data_coding` (SMPP 3.4 §5.2.19, 3GPP TS 23.038 §4). Pure. */
import { gsmText } from '../../segments/gsm-alphabet.js'

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

/** The text of octets. In UCS-2 a half of a surrogate pair at an end is kept as it is. */
export function decoded(data: Buffer, coding: number): string {
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
