import { parseServerUrl } from '../../../src/voice/telephony/server-url.js'
import { pidListeningAt } from '../../support/process/process-cpu.js'
import { type BenchServer, startBenchServer } from '../bench-server.js'
import { type RealUrls, startRealServer } from '../real-bench-server.js'
import type { System } from './system.js'

const IDLE_LIMIT_MS = 15_000

/** The number that SIPp calls, and the page that answers. */
export interface CalledNumber {
  readonly service: string
  readonly voiceUrl: string
}

/** The server that runs already, with its lab; it is not disposed. */
export function labSystem(server: BenchServer, service: string): System {
  return {
    name: 'trunkline, lab',
    target: `127.0.0.1:${server.sipPort}`,
    service,
    pids: { server: server.pids.server, lab: server.pids.media },
    ...gaugesOf(server),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** Starts another server with its lab; `settings` has further settings. */
export async function startLabSystem(
  folder: string,
  { service, voiceUrl }: CalledNumber,
  settings: Readonly<Record<string, string>> = {},
): Promise<System> {
  const server = await startBenchServer(folder, settings)
  await server.assignNumber(service, voiceUrl)
  return {
    ...labSystem(server, service),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Starts another server, on a drachtio and a FreeSWITCH of this machine; `settings` has further settings. */
export async function startRealSystem(
  urls: RealUrls,
  folder: string,
  { service, voiceUrl }: CalledNumber,
  settings: Readonly<Record<string, string>> = {},
): Promise<System> {
  const server = await startRealServer(urls, folder, settings)
  await server.assignNumber(service, voiceUrl)
  return {
    name: 'trunkline, real servers',
    target: `127.0.0.1:${server.sipPort}`,
    service,
    pids: {
      server: server.pids.server,
      ...pidsOf({
        drachtio: parseServerUrl(urls.DRACHTIO_URL).port,
        FreeSWITCH: parseServerUrl(urls.FREESWITCH_URL).port,
      }),
    },
    ...gaugesOf(server),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function gaugesOf(server: BenchServer): Pick<System, 'refusedLate' | 'untilIdle'> {
  return {
    refusedLate: async () => (await server.metrics())['calls_refused_late'] ?? 0,
    untilIdle: () => server.untilIdle(IDLE_LIMIT_MS),
  }
}

/** The processes that listen at these ports; one that runs elsewhere has no processor time here. */
export function pidsOf(ports: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(ports).flatMap(([name, port]) => {
      const pid = pidListeningAt(port)
      return pid === undefined ? [] : [[name, pid]]
    }),
  )
}
