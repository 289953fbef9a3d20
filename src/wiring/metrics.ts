import type { Lab } from '../lab/start-lab.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import type { ServerView } from '../voice/telephony/port.js'
import type { Base } from './base.js'
import type { Files } from './files.js'
import type { Billing } from './ledger.js'
import type { Voice } from './voice.js'

export interface MetricParts {
  readonly outbox: Outbox
  readonly files: Files
  readonly billing: Pick<Billing, 'watch'>
  readonly lab: Lab | undefined
}

export async function readMetrics(
  { clock, db, outbound }: Base,
  { calls, overload, telephony, sources, streams, conferences, queues, registration }: Voice,
  { outbox, files, billing, lab }: MetricParts,
): Promise<Readonly<Record<string, number>>> {
  return {
    calls_live: calls.liveCount(),
    calls_limited: Object.values(sources).reduce((sum, { limited }) => sum + limited, 0),
    call_delay_ms: Math.round(overload.delayMs(clock.monotonic())),
    calls_refused_late: overload.refused,
    ...(overload.perSecond === undefined
      ? {}
      : { calls_taken_per_second: Math.round(overload.perSecond) }),
    registrations: await registration.bindings.count(),
    sip_guesses_refused: registration.guesses.refused,
    legs_live: telephony.legCount(),
    streams_live: streams.liveCount(),
    conferences_live: conferences.liveCount(),
    queue_members: queues.liveCount(),
    callbacks_in_flight: outbox.inFlight,
    ledger_faults: billing.watch.faults,
    outbound_connections: outbound.connections,
    [`database_is_${db.engine}`]: 1,
    ...serverGauges(telephony.servers()),
    ...gaugesOf('database', db.figures()),
    ...(await readWaitingFiles(files, clock.now())),
    resident_bytes: process.memoryUsage().rss,
    cpu_seconds: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
    active_resources: process.getActiveResourcesInfo().length,
    ...(lab === undefined ? {} : gaugesOf('lab', await lab.stats())),
  }
}

/** Gauges of each telephony server, labelled with its name. */
function serverGauges(servers: readonly ServerView[]): Record<string, number> {
  return Object.fromEntries(
    servers.flatMap(
      ({ name, kind, health, isDrained, ownChannels, channels, maxSessions, idlePercent }) => {
        const label = `{kind="${kind}",server="${name}"}`
        const figures: readonly (readonly [string, number | undefined])[] = [
          ['up', health === 'up' ? 1 : 0],
          ['drained', isDrained ? 1 : 0],
          ['own_channels', ownChannels],
          ['channels', channels],
          ['max_sessions', maxSessions],
          ['idle_percent', idlePercent],
        ]
        return figures.flatMap(([figure, value]) =>
          value === undefined ? [] : [[`server_${figure}${label}`, value] as const],
        )
      },
    ),
  )
}

/** Gauges of the files queued for the bucket: counts, and the age of the oldest; empty without a bucket. */
async function readWaitingFiles(files: Files, now: number): Promise<Record<string, number>> {
  const waiting = await files.waiting()
  if (waiting === undefined) return {}
  const { sends, removals, since = now } = waiting
  return {
    files_waiting: sends,
    files_waiting_seconds: Math.max(0, now - since) / 1_000,
    file_removals_waiting: removals,
    file_bucket_away: files.isBucketAway ? 1 : 0,
  }
}

/**
 * Converts every number in a value to a gauge: `{ media: { openFiles: 1 } }` with the prefix `lab` becomes
 * `lab_media_open_files`.
 */
function gaugesOf(prefix: string, value: object): Record<string, number> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
      const key = `${prefix}_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
      if (typeof each === 'number') return [[key, each]]
      return typeof each === 'object' && each !== null ? Object.entries(gaugesOf(key, each)) : []
    }),
  )
}
