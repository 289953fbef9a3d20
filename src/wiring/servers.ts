/** Connects the telephony servers: real ones, or the lab's. */
import type { Config, ListenAddress } from '../config.js'
import type { Lab } from '../lab/start-lab.js'
import { connectTelephony } from '../voice/telephony/connect-telephony.js'
import type { Telephony } from '../voice/telephony/port.js'
import type { Base } from './base.js'
import { recordingFolders } from './recordings.js'

/**
 * Connects the servers. Their control ports obey anyone who knows a secret, so customers' URLs must not reach
 * them.
 */
export async function connectServers(base: Base, lab: Lab | undefined): Promise<Telephony> {
  const { clock, config, disposer, log } = base
  const urls = serverUrls(config, lab)
  for (const url of [...urls.drachtioUrls, ...urls.freeswitchUrls])
    base.closeToCustomers(listenerOf(url))
  const recordings = config.media.files === 'http' ? recordingFolders(base) : undefined
  return disposer.use(await connectTelephony({ ...urls, recordings, clock, log }))
}

function listenerOf(url: string): ListenAddress {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

function serverUrls({ servers }: Config, lab: Lab | undefined) {
  if (servers.type === 'real')
    return {
      drachtioUrls: servers.drachtio,
      freeswitchUrls: servers.freeswitch,
      listenAddress: servers.callback.host,
      advertisedAddress: servers.callback.advertisedHost,
      localNetworks: servers.localNetworks,
    }
  return { drachtioUrls: [lab?.drachtioUrl ?? ''], freeswitchUrls: [lab?.freeswitchUrl ?? ''] }
}
