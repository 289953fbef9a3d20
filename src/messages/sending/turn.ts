/** Schedules a message: at its rate, on a day below the cap, and not before an earlier one of its pair. */
import type { Writer } from '../../platform/database/database.js'
import { capDayOf, nextCapDayAt } from '../rules/cap-day.js'
import type { DailyCap } from '../rules/sending-rate.js'
import { lastOfPair, reserveTurn, takeFromDay } from '../storage/queue-storage.js'

export interface WantedTurn {
  readonly bucket: string | null
  readonly takesMicros: number
  readonly pair: string
  readonly cap: DailyCap | undefined
  readonly segments: number
}

/** Reserves the next slot and resolves with its time. */
export async function turnOf(tx: Writer, wanted: WantedTurn, now: number): Promise<number> {
  const { bucket, takesMicros, pair } = wanted
  const turn =
    bucket === null
      ? now
      : Math.floor((await reserveTurn(tx, bucket, takesMicros, now * 1_000)) / 1_000)
  const day = await dayWithRoom(tx, wanted, { turn, today: capDayOf(now) })
  return Math.max(day, (await lastOfPair(tx, pair)) ?? 0)
}

/**
 * Resolves with the slot itself, or the start of the next day below the cap; no message waits for a later one.
 */
async function dayWithRoom(
  tx: Writer,
  { cap, segments }: WantedTurn,
  { turn, today }: { readonly turn: number; readonly today: string },
): Promise<number> {
  if (cap === undefined) return turn
  const hasRoom = (at: number) => takeFromDay(tx, cap, { day: capDayOf(at), today }, segments)
  if (await hasRoom(turn)) return turn
  const next = nextCapDayAt(turn)
  return (await hasRoom(next)) ? next : nextCapDayAt(next)
}
