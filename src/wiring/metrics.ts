/** The metrics of the private listener, each with its source. */
import type { Lab } from '../lab/start-lab.js'
import { type MetricOf, Metrics, type Samples } from '../platform/metrics/metrics.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import type { ServerView } from '../voice/telephony/port.js'
import type { Base } from './base.js'
import { addCallHistograms } from './call-histograms.js'
import type { Files } from './files.js'
import type { Billing } from './ledger.js'
import type { WiredMessages } from './messages.js'
import type { Traces } from './traces.js'
import type { Voice } from './voice.js'

export interface MetricParts {
  readonly outbox: Outbox
  readonly messages: Pick<WiredMessages, 'binds'>
  readonly files: Files
  readonly billing: Pick<Billing, 'watch'>
  readonly lab: Lab | undefined
  readonly traces: Traces | undefined
}

/** Returns the reader of one scrape, as text. */
export function wireMetrics(base: Base, voice: Voice, parts: MetricParts): () => Promise<string> {
  const metrics = new Metrics()
  metrics.add(() => voice, voiceMetrics(base))
  addCallHistograms(metrics, base.events)
  metrics.add(
    async () => ({ count: await voice.registration.bindings.count() }),
    [
      metric('registrations', 'SIP registrations that have not expired.', ({ count }) => count),
      metric(
        'sip_guesses_refused_total',
        'Requests refused because their source has guessed too many passwords.',
        () => voice.registration.guesses.refused,
      ),
    ],
  )
  metrics.add(() => voice.telephony.servers(), SERVERS)
  metrics.add(() => base.db.figures(), databaseMetrics(base.db.engine))
  metrics.add(
    () => parts.outbox.queues(base.clock.now()),
    [
      metric(
        'callbacks_in_flight',
        'Attempts to deliver an outbox item.',
        () => parts.outbox.inFlight,
      ),
      ...QUEUES,
    ],
  )
  metrics.add(() => parts.messages.binds(), BINDS)
  if (base.config.bucket !== undefined)
    metrics.add(async () => await parts.files.waiting(), filesMetrics(base, parts.files))
  metrics.add(
    () => process,
    [
      metric('ledger_faults', 'Faults that the last check of the ledger found.', () => {
        return parts.billing.watch.faults
      }),
      metric('outbound_connections', 'Open HTTP connections to customers.', () => {
        return base.outbound.connections
      }),
      ...PROCESS,
    ],
  )
  const { lab, traces } = parts
  if (traces !== undefined)
    metrics.add(
      () => traces,
      [
        metric(
          'trace_spans_dropped_total',
          'Spans that did not reach the collector.',
          (of) => of.dropped,
        ),
      ],
    )
  if (lab !== undefined) metrics.add(() => lab.stats(), LAB)
  return () => metrics.text()
}

/** A metric without labels. */
function metric<Source>(
  name: string,
  help: string,
  read: (source: Source) => Samples,
): MetricOf<Source> {
  return { name, help, read }
}

function voiceMetrics({ clock }: Pick<Base, 'clock'>): readonly MetricOf<Voice>[] {
  return [
    metric('calls_live', 'Calls that have not ended.', ({ calls }) => calls.liveCount()),
    {
      name: 'calls_refused_total',
      help: 'INVITEs refused, by the status of the response; none had no response.',
      labels: ['status'],
      read: ({ refusedCalls }) =>
        [...refusedCalls.counts].map(
          ([status, count]) => [{ status: status === 0 ? 'none' : String(status) }, count] as const,
        ),
    },
    {
      name: 'registrations_refused_total',
      help: 'REGISTERs refused, by the status of the response; none had no response.',
      labels: ['status'],
      read: ({ refusedCalls }) =>
        [...refusedCalls.registrationCounts].map(
          ([status, count]) => [{ status: status === 0 ? 'none' : String(status) }, count] as const,
        ),
    },
    metric('calls_limited_total', 'Calls refused because of the rate of their source.', (voice) =>
      Object.values(voice.sources).reduce((sum, { limited }) => sum + limited, 0),
    ),
    metric(
      'call_delay_seconds',
      'Largest event-loop delay of the recent past, by which overload control decides.',
      ({ overload }) => Math.round(overload.delayMs(clock.monotonic())) / 1_000,
    ),
    metric(
      'calls_refused_late_total',
      'Calls refused by overload control.',
      ({ overload }) => overload.refused,
    ),
    metric(
      'calls_taken_per_second',
      'Calls per second that overload control takes; absent without overload.',
      ({ overload: { perSecond } }) =>
        perSecond === undefined ? undefined : Math.round(perSecond),
    ),
    metric('legs_live', 'SIP legs that have not ended.', ({ telephony }) => telephony.legCount()),
    metric('streams_live', 'Open audio streams to websockets.', ({ streams }) => {
      return streams.liveCount()
    }),
    metric('conferences_live', 'Conferences in progress on this node.', ({ conferences }) => {
      return conferences.liveCount()
    }),
    metric('queue_members', 'Calls that wait in a queue of this node.', ({ queues }) => {
      return queues.liveCount()
    }),
  ]
}

const ofServer = (
  name: string,
  help: string,
  read: (server: ServerView) => number | undefined,
): MetricOf<readonly ServerView[]> => ({
  name: `server_${name}`,
  help,
  labels: ['kind', 'server'],
  read: (servers) =>
    servers.flatMap((server) => {
      const value = read(server)
      return value === undefined
        ? []
        : [[{ kind: server.kind, server: server.name }, value] as const]
    }),
})

const SERVERS = [
  ofServer('up', '1 while the drachtio or FreeSWITCH server is connected.', ({ health }) =>
    health === 'up' ? 1 : 0,
  ),
  ofServer('drained', '1 while the server gets no new call.', ({ isDrained }) => Number(isDrained)),
  ofServer(
    'own_channels',
    'Channels of this node on the server.',
    ({ ownChannels }) => ownChannels,
  ),
  ofServer('channels', 'All channels of the server.', ({ channels }) => channels),
  ofServer('max_sessions', 'Channels that the server allows.', ({ maxSessions }) => maxSessions),
  ofServer('idle_percent', 'Idle processor of the server, percent.', (server) => {
    return server.idlePercent
  }),
]

type DatabaseFigures = ReturnType<Base['db']['figures']>

function databaseMetrics(engine: Base['db']['engine']): readonly MetricOf<DatabaseFigures>[] {
  const shared: readonly MetricOf<DatabaseFigures>[] = [
    metric(`database_is_${engine}`, '1 for the engine in use.', () => 1),
    metric(
      'database_waiting',
      'Writes that wait for a commit (SQLite); reads and writes that wait for a connection (PostgreSQL).',
      ({ waiting }) => waiting,
    ),
  ]
  if (engine === 'sqlite') return shared
  return [
    ...shared,
    metric('database_connections', 'Open connections.', ({ connections }) => connections),
    metric('database_connections_busy', 'Connections in use.', (figures) => {
      return figures['connections_busy']
    }),
    metric('database_connections_lost_total', 'Connections that failed.', (figures) => {
      return figures['connections_lost']
    }),
    {
      name: 'database_retries_total',
      help: 'Transactions that ran again, by cause.',
      labels: ['cause'],
      read: (figures) =>
        Object.entries(figures)
          .filter(([name]) => name.startsWith('retries_'))
          .map(([name, count]) => [{ cause: name.slice('retries_'.length) }, count]),
    },
  ]
}

type Queue = Awaited<ReturnType<Outbox['queues']>>[number]

const ofQueue = (
  name: string,
  help: string,
  read: (queue: Queue) => number,
): MetricOf<readonly Queue[]> => ({
  name,
  help,
  labels: ['channel'],
  read: (queues) => queues.map((queue) => [{ channel: queue.channel }, read(queue)]),
})

const QUEUES = [
  ofQueue(
    'outbox_pending',
    'Streams with an item to deliver, by channel, of all nodes; at most 10,000 are counted.',
    ({ pending }) => pending,
  ),
  ofQueue('outbox_oldest_seconds', 'Age of the oldest item to deliver, by channel.', (queue) => {
    return queue.oldestMs / 1_000
  }),
]

type Bind = ReturnType<WiredMessages['binds']>[number]

const BINDS: readonly MetricOf<readonly Bind[]>[] = [
  {
    name: 'smpp_bound',
    help: 'Bound connections to the short message centre.',
    labels: ['smsc', 'role'],
    read: (binds) =>
      binds.map(({ smsc, role, isBound }) => [{ smsc, role }, isBound ? 1 : 0] as const),
  },
  {
    name: 'smpp_requests_in_flight',
    help: 'Requests to the short message centre without a response yet.',
    labels: ['smsc', 'role'],
    read: (binds) => binds.map(({ smsc, role, load }) => [{ smsc, role }, load] as const),
  },
]

type Waiting = Awaited<ReturnType<Files['waiting']>>

function filesMetrics({ clock }: Base, files: Files): readonly MetricOf<Waiting>[] {
  return [
    metric(
      'files_waiting',
      'Files that the bucket does not have yet.',
      (waiting) => waiting?.sends,
    ),
    metric('files_waiting_seconds', 'Age of the oldest of these files.', (waiting) => {
      if (waiting === undefined) return undefined
      const now = clock.now()
      return Math.max(0, now - (waiting.since ?? now)) / 1_000
    }),
    metric('file_removals_waiting', 'Objects that this server has to delete.', (waiting) => {
      return waiting?.removals
    }),
    metric('file_bucket_away', '1 while the bucket does not respond.', () => {
      return files.isBucketAway ? 1 : 0
    }),
  ]
}

const PROCESS: readonly MetricOf<NodeJS.Process>[] = [
  metric(
    'resident_bytes',
    'Resident memory of the server.',
    (process) => process.memoryUsage().rss,
  ),
  metric('cpu_seconds_total', 'Processor time of the server.', (process) => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }),
  metric('active_resources', 'Open sockets, timers and other resources.', (process) => {
    return process.getActiveResourcesInfo().length
  }),
]

type LabStats = Awaited<ReturnType<Lab['stats']>>

const LAB: readonly MetricOf<LabStats>[] = [
  metric('lab_channels', 'Channels of the lab.', ({ channels }) => channels),
  metric('lab_event_socket_connections', 'Event socket connections to the lab.', (stats) => {
    return stats.eventSocketConnections
  }),
  metric('lab_phone_calls', 'Calls of the lab phones.', ({ phoneCalls }) => phoneCalls),
  metric('lab_dialogs', 'SIP dialogs of the lab.', ({ dialogs }) => dialogs),
  metric('lab_transactions', 'SIP transactions of the lab.', ({ transactions }) => transactions),
  metric('lab_timers', 'Timers of the lab.', ({ timers }) => timers),
  metric('lab_scanners_ignored_total', 'Requests of scanners that were dropped.', (stats) => {
    return stats.scannersIgnored
  }),
  metric('lab_stray_responses_total', 'Responses that match no request of ours.', (stats) => {
    return stats.strayResponses
  }),
  metric(
    'lab_requests_limited_total',
    'Requests and stray responses dropped because of the rate of their source.',
    ({ requestsLimited }) => requestsLimited,
  ),
  metric(
    'lab_loop_p99_seconds',
    '99th-percentile event-loop delay of the lab since the last scrape.',
    ({ loopP99Ms }) => loopP99Ms / 1_000,
  ),
  metric('lab_media_endpoints', 'RTP endpoints of the lab.', ({ media }) => media.endpoints),
  metric(
    'lab_media_open_files',
    'Audio files that the lab has open.',
    ({ media }) => media.openFiles,
  ),
  metric(
    'lab_media_ticks_total',
    'Ticks of 20 ms of the media thread.',
    ({ media }) => media.ticks,
  ),
  {
    name: 'lab_media_tick_lateness_seconds',
    help: 'Lateness of the 20 ms tick since the last scrape.',
    labels: ['share'],
    read: ({ media: { tickLatenessMs: late } }) => [
      [{ share: '0.5' }, late.p50 / 1_000],
      [{ share: '0.95' }, late.p95 / 1_000],
      [{ share: '0.99' }, late.p99 / 1_000],
      [{ share: '1' }, late.max / 1_000],
    ],
  },
  metric('lab_media_packets_sent_total', 'RTP packets sent.', ({ media }) => media.packetsSent),
  metric('lab_media_packets_received_total', 'RTP packets received.', ({ media }) => {
    return media.packetsReceived
  }),
  metric(
    'lab_media_packets_ignored_total',
    'Packets that are no RTP, of an unknown payload type, or not of the peer.',
    ({ media }) => media.packetsIgnored,
  ),
]
