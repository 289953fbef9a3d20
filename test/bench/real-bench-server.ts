import { probeDrachtio } from '../../src/cli/trunkline/doctor/probe-drachtio.js'
import { parseServerUrl } from '../../src/voice/telephony/server-url.js'
import { pidListeningAt } from '../support/process/process-cpu.js'
import { type BenchServer, startBenchServer } from './bench-server.js'

/** The addresses of real servers, as the environment names them. */
export interface RealUrls {
  readonly DRACHTIO_URL: string
  readonly FREESWITCH_URL: string
}

/** The address that the bench's callers send to. */
const LOOPBACK_UDP = 'udp/127.0.0.1:'

/**
 * Starts a server on a drachtio and a FreeSWITCH of this machine, which takes calls from it; `env` has further
 * settings. Rejects when that drachtio has no UDP address on 127.0.0.1.
 */
export async function startRealServer(
  urls: RealUrls,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BenchServer> {
  const { addresses } = await probeDrachtio(parseServerUrl(urls.DRACHTIO_URL))
  const address = addresses.find((each) => each.startsWith(LOOPBACK_UDP))
  if (address === undefined)
    throw new Error(
      `the drachtio of DRACHTIO_URL has no UDP address on 127.0.0.1: ${addresses.join(', ')}`,
    )
  const server = await startBenchServer(folder, {
    ...urls,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    ...env,
  })
  try {
    await server.takeLocalCalls()
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
  const media = pidListeningAt(parseServerUrl(urls.FREESWITCH_URL).port) ?? 0
  return {
    ...server,
    sipPort: Number(address.slice(LOOPBACK_UDP.length)),
    pids: { server: server.pids.server, media },
  }
}
