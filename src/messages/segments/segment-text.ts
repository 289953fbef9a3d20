/**
 * Splits a text into the segments that are sent and charged. One segment holds 160 septets when all characters
 * are in the GSM alphabet, else 70 UTF-16 units. Each of several segments loses six octets to the concatenation
 * header (3GPP TS 23.040 §9.2.3.24.1): 153 septets, 67 units. A character is never split, so a segment may be
 * one short. Pure.
 */
import { septetsOf } from './gsm-alphabet.js'

export type Encoding = 'GSM-7' | 'UCS-2'

export interface SegmentedText {
  readonly encoding: Encoding
  /** Texts of the segments in order; an empty text has one empty segment. */
  readonly segments: readonly string[]
}

const ROOM: Readonly<Record<Encoding, { readonly alone: number; readonly joined: number }>> = {
  'GSM-7': { alone: 160, joined: 153 },
  'UCS-2': { alone: 70, joined: 67 },
}

export function segmentText(text: string): SegmentedText {
  // By code points: a surrogate pair is one character.
  const chars = Array.from(text)
  const septets = chars.map(septetsOf)
  const isGsm = septets.every((count) => count !== undefined)
  const encoding: Encoding = isGsm ? 'GSM-7' : 'UCS-2'
  const sizeAt = (index: number): number =>
    isGsm ? (septets[index] ?? 0) : (chars[index]?.length ?? 0)
  const total = chars.reduce((sum, _char, index) => sum + sizeAt(index), 0)
  const { alone, joined } = ROOM[encoding]
  if (total <= alone) return { encoding, segments: [text] }
  return { encoding, segments: divide(chars, sizeAt, joined) }
}

function divide(
  chars: readonly string[],
  sizeAt: (index: number) => number,
  room: number,
): readonly string[] {
  const segments: string[] = []
  let start = 0
  let used = 0
  for (let index = 0; index < chars.length; index += 1) {
    const size = sizeAt(index)
    if (used + size > room) {
      segments.push(chars.slice(start, index).join(''))
      start = index
      used = 0
    }
    used += size
  }
  return [...segments, chars.slice(start).join('')]
}
