/** Reads and writes keys as named telephone events: the payload of RFC 4733 §2.3. */
import { readUint16 } from './rtp-packet.js'

/** The keys in the order of their event numbers (RFC 4733 §3.2). */
const KEYS = '0123456789*#ABCD'

export const EVENT_PAYLOAD_BYTES = 4

export interface TelephoneEvent {
  event: number
  isEnd: boolean
  /** Duration since the event's timestamp, in timestamp units. */
  duration: number
}

export function createTelephoneEvent(): TelephoneEvent {
  return { event: 0, isEnd: false, duration: 0 }
}

export function eventOfKey(key: string): number | undefined {
  const event = KEYS.indexOf(key.toUpperCase())
  return key.length === 1 && event >= 0 ? event : undefined
}

export function keyOfEvent(event: number): string | undefined {
  return KEYS[event]
}

/** Reads a payload; false when it is too short. */
export function readTelephoneEvent(
  packet: Uint8Array,
  start: number,
  end: number,
  into: TelephoneEvent,
): boolean {
  if (end - start < EVENT_PAYLOAD_BYTES) return false
  into.event = packet[start] ?? 0
  into.isEnd = ((packet[start + 1] ?? 0) & 0x80) !== 0
  into.duration = readUint16(packet, start + 2)
  return true
}

/** Writes a payload; `volume` is the power below 0 dBm0 (0–63). */
export function writeTelephoneEvent(
  into: Uint8Array,
  start: number,
  event: TelephoneEvent,
  volume: number,
): void {
  into[start] = event.event
  into[start + 1] = (event.isEnd ? 0x80 : 0) | (volume & 0x3f)
  into[start + 2] = event.duration >>> 8
  into[start + 3] = event.duration
}
