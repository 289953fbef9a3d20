/** Reads `ScheduleType` and `SendAt`. Pure. */
import { ApiError } from './dialect/errors.js'

const MIN_AHEAD_MS = 5 * 60_000
const MAX_AHEAD_MS = 35 * 86_400_000
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/** The time that a message is scheduled for, epoch milliseconds; undefined for now. */
export function readSendAt(
  scheduleType: 'fixed' | undefined,
  sendAt: string | undefined,
  now: number,
): number | undefined {
  if (scheduleType === undefined && sendAt === undefined) return undefined
  if (scheduleType === undefined || sendAt === undefined)
    throw new ApiError(400, 35117, 'ScheduleType and SendAt must be given together')
  const at = ISO_TIME.test(sendAt) ? Date.parse(sendAt) : Number.NaN
  if (Number.isNaN(at) || at < now + MIN_AHEAD_MS || at > now + MAX_AHEAD_MS)
    throw new ApiError(400, 35114, 'SendAt must be from 5 minutes to 35 days ahead')
  return at
}
