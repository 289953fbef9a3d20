/** The parameters about a queue in wire names; times are whole seconds. Pure. */
import type { QueueResult } from '../markup/queue-entry.js'

export interface Standing {
  readonly queueSid: string
  /** The position in the queue, from 1. */
  readonly position: number
  readonly size: number
  readonly maxSize: number
  readonly waitedMs: number
  readonly averageMs: number
}

type Params = Readonly<Record<string, string>>

export function standingParams(standing: Standing): Params {
  return {
    QueueSid: standing.queueSid,
    QueuePosition: String(standing.position),
    QueueTime: toSeconds(standing.waitedMs),
    AvgQueueTime: toSeconds(standing.averageMs),
    CurrentQueueSize: String(standing.size),
    MaxQueueSize: String(standing.maxSize),
  }
}

/** Returns the parameters of a result; `stay` is undefined for a caller who was never in the queue. */
export function resultParams(
  result: QueueResult,
  stay: { readonly queueSid: string; readonly waitedMs: number } | undefined,
): Params {
  if (stay === undefined) return { QueueResult: result }
  return { QueueResult: result, QueueSid: stay.queueSid, QueueTime: toSeconds(stay.waitedMs) }
}

export function announcementParams(
  stay: { readonly queueSid: string; readonly waitedMs: number },
  diallerSid: string,
): Params {
  return {
    QueueSid: stay.queueSid,
    QueueTime: toSeconds(stay.waitedMs),
    // The misspelling is part of the convention.
    DequeingCallSid: diallerSid,
  }
}

export function average(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function toSeconds(ms: number): string {
  return String(Math.max(0, Math.round(ms / 1_000)))
}
