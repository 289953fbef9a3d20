import type { Config } from '../config.js'
import type { Lab } from '../lab/start-lab.js'
import { type Carrier, DEFAULT_CARRIER_SETTINGS } from '../voice/carriers/carrier.js'

export function labOptions(config: Config) {
  const { recordingsDir, commandLog } = config.lab
  return {
    sipHost: config.sip.host,
    sipPort: config.sip.port,
    rtpPorts: config.rtpPorts,
    mediaRelays: config.mediaRelays,
    sourceRate: config.sip.sourceRate,
    logLevel: config.logLevel,
    ...(recordingsDir === undefined ? {} : { recordingsDir }),
    ...(commandLog === undefined ? {} : { commandLogFile: commandLog }),
  }
}

/**
 * The carrier for the lab's phones and for every caller on this machine: a softphone or SIPp can
 * call at once.
 */
export function labCarrier(lab: Lab): Carrier {
  const [, host = '127.0.0.1', port = '5060'] = /^sip:(.*):(\d+)$/.exec(lab.phonesUri) ?? []
  return {
    name: 'lab',
    host,
    port: Number(port),
    transport: 'udp',
    prefixes: ['+1500555'],
    priority: 0,
    weight: 1,
    addresses: ['127.0.0.0/8', '::1/128'],
    settings: DEFAULT_CARRIER_SETTINGS,
  }
}
