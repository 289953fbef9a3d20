import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

/** The server's own properties, reported in every event, in `version`, `status` and the heartbeat. */
export interface SwitchFacts {
  readonly coreUuid: string
  readonly hostname: string
  /** The SIP address that receives calls, such as `127.0.0.1:5080`. */
  readonly sipAddress: string
  /** The RTP address announced in SDP. */
  readonly mediaAddress: string
  /** The external RTP address, as reported by `sofia status profile`. */
  readonly extRtpAddress: string
  readonly version: string
  readonly profile: string
  /** The modules reported as not loaded. */
  readonly missingModules: readonly string[]
  readonly maxSessions: number
  readonly sessionsPerSecond: number
  /** The server's start time, epoch ms. */
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

/** Converts epoch ms to epoch microseconds, the unit of times in events. */
export function microseconds(atMs: number): string {
  return String(Math.round(atMs * 1000))
}

/** Formats a local time as `2026-11-20 19:24:05`. */
export function localTime(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}
