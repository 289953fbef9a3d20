import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

/** The server's facts about itself: on every event, in `version`, `status` and the heartbeat. */
export interface SwitchFacts {
  readonly coreUuid: string
  readonly hostname: string
  /** The SIP address that takes calls, such as `127.0.0.1:5080`. */
  readonly sipAddress: string
  /** The address that descriptions announce for RTP. */
  readonly mediaAddress: string
  /** The address outside, as the profile tells it. */
  readonly extRtpAddress: string
  readonly version: string
  readonly profile: string
  /** The modules that count as not loaded. */
  readonly missingModules: readonly string[]
  readonly maxSessions: number
  readonly sessionsPerSecond: number
  /** The start of the server, epoch milliseconds. */
  readonly startedAt: number
}

export function readSwitchFacts(
  chosen: Pick<
    SwitchFacts,
    'sipAddress' | 'mediaAddress' | 'extRtpAddress' | 'profile' | 'missingModules'
  >,
  maxSessions: number,
): SwitchFacts {
  return {
    ...chosen,
    coreUuid: randomUUID(),
    hostname: hostname(),
    version: '1.10.12-lab',
    maxSessions,
    sessionsPerSecond: 1_000,
    startedAt: Date.now(),
  }
}

/** Converts a time to epoch microseconds, as the event socket writes times. */
export function microseconds(atMs: number): string {
  return String(Math.round(atMs * 1000))
}

/** Writes a local time as `2026-11-20 19:24:05`. */
export function localTime(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}
