/** Checks what Contact and SDP will say: where the other side sends its requests and its audio. */

import { existsSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import type { Config, ListenAddress } from '../../../config.js'
import { isLoopback } from '../../../platform/cidr.js'
import { HTTP_FILES_MODULE, NEEDED_MODULES } from '../../../voice/telephony/needed-modules.js'
import { rtpFault } from '../../../voice/telephony/reach.js'
import { parseServerUrl, type ServerUrl, serverName } from '../../../voice/telephony/server-url.js'
import { SIP_PROFILE } from '../../../voice/telephony/sip-profile.js'
import type { Facts } from './facts.js'
import { type Finding, fail, ok, warn } from './finding.js'
import { probeDrachtio } from './probe-drachtio.js'
import {
  type CallbackAddress,
  type CallbackReach,
  type ExpectedOfFreeswitch,
  type FreeswitchReport,
  probeFreeswitch,
} from './probe-freeswitch.js'
import { onTheInternet } from './trunks.js'

/** Older versions have faults that a stranger can use (docs/real-servers.md). */
const SAFE_FREESWITCH = [1, 11, 2]
const NAT =
  'behind a NAT, a carrier sends its requests and audio to this address and they are lost: give drachtio --external-ip, and FreeSWITCH EXT_RTP_IP: docs/real-servers.md, Behind a NAT'
const LAB_NAT =
  'a carrier sends its requests and audio to this address: set SIP_HOST to one that it reaches; behind a NAT use drachtio with --external-ip: docs/real-servers.md'
const RTP =
  'start FreeSWITCH with RTP_IP, and behind a NAT EXT_RTP_IP: docs/real-servers.md, What /readyz says'

export async function checkTelephony({ config, trunks }: Facts): Promise<readonly Finding[]> {
  const { servers, sip } = config
  if (servers.type === 'lab') return labFindings(sip, onTheInternet(trunks))
  const { host, advertisedHost } = servers.callback
  const expected = {
    folder: config.media.recordingsDir ?? resolve(config.dataDir),
    callback: { listenHost: host, toldHost: advertisedHost ?? host },
    modules: [...NEEDED_MODULES, ...(config.media.files === 'http' ? [HTTP_FILES_MODULE] : [])],
    files: config.media.files,
  }
  const found: Finding[] = []
  const sipHosts: string[] = []
  for (const url of servers.drachtio) {
    const { hosts, findings } = await lookAtDrachtio(parseServerUrl(url))
    sipHosts.push(...hosts)
    found.push(...findings)
  }
  for (const url of servers.freeswitch)
    found.push(...(await freeswitchFindings(parseServerUrl(url), { ...expected, sipHosts })))
  return found
}

/** `outside` names a carrier or gateway on the Internet, if there is one. */
function labFindings(
  { host, port }: ListenAddress,
  outside: string | undefined,
): readonly Finding[] {
  const addresses = host === '0.0.0.0' || host === '::' ? ownAddresses(isIPv6(host)) : [host]
  const shown = addresses.map((each) => (isIPv6(each) ? `[${each}]` : each))
  const place = port === 0 ? '' : `:${port}`
  const text = `the lab; ${shown.map((each) => `sip:…@${each}${place}`).join(' or ')}`
  const sdp = `c=IN ${isIPv6(addresses[0] ?? '') ? 'IP6' : 'IP4'} ${addresses.join(' or ')}`
  if (isLoopback(host) && outside !== undefined)
    return [
      fail('Contact', `${text}: only programs on this machine can call, and ${outside}`, LAB_NAT),
      fail('SDP', `${sdp}: only programs on this machine send audio, and ${outside}`, LAB_NAT),
    ]
  if (isLoopback(host))
    return [
      ok('Contact', `${text}: only programs on this machine can call`),
      ok('SDP', `${sdp}: only programs on this machine send audio`),
    ]
  return [
    ...addressFinding('Contact', text, addresses, LAB_NAT),
    ...addressFinding('SDP', sdp, addresses, LAB_NAT),
  ]
}

/** Tells the hosts of its SIP addresses too; none when it cannot be asked. */
async function lookAtDrachtio(
  server: ServerUrl,
): Promise<{ readonly hosts: readonly string[]; readonly findings: readonly Finding[] }> {
  try {
    const { addresses, version } = await probeDrachtio(server)
    const hosts = addresses.map((each) => each.replace(/^\w+\//, '').replace(/:\d+$/, ''))
    const text = `${addresses.join(', ')} (drachtio ${version} at ${serverName(server)})`
    return { hosts, findings: addressFinding('Contact', text, hosts) }
  } catch (error) {
    return { hosts: [], findings: [unreachable('drachtio', server, error, 'DRACHTIO_URL')] }
  }
}

async function freeswitchFindings(
  server: ServerUrl,
  expected: ExpectedOfFreeswitch & {
    readonly files: Config['media']['files']
    readonly sipHosts: readonly string[]
  },
): Promise<readonly Finding[]> {
  const { folder, callback, files, sipHosts } = expected
  try {
    const report = await probeFreeswitch(server, expected)
    const { version, seesFolder, missingModules } = report
    const place = `(FreeSWITCH ${version} at ${serverName(server)})`
    return [
      ...sdpFindings(report, sipHosts, place),
      filesFinding(files, folder, seesFolder, serverName(server)),
      ...(missingModules.length === 0
        ? []
        : [
            fail(
              'modules',
              `FreeSWITCH at ${serverName(server)} has not loaded ${missingModules.join(', ')}`,
              'load them: freeswitch-conf/freeswitch.xml says how',
            ),
          ]),
      callbackFinding(report.callback, callback, serverName(server)),
      ...(isLoopback(server.host) || !isOlder(version)
        ? []
        : [
            warn(
              'freeswitch',
              `version ${version}`,
              `update to ${SAFE_FREESWITCH.join('.')} or newer`,
            ),
          ]),
    ]
  } catch (error) {
    return [unreachable('freeswitch', server, error, 'FREESWITCH_URL')]
  }
}

function filesFinding(
  files: Config['media']['files'],
  folder: string,
  isSeen: boolean,
  name: string,
): Finding {
  const subject = 'media files'
  if (files === 'http')
    return ok(subject, `travel by HTTP; recordings are in ${folder} of FreeSWITCH until then`)
  if (isSeen) return ok(subject, `${folder} is seen by FreeSWITCH`)
  // The server makes the folder when it starts: before that nobody can see it.
  if (!existsSync(folder))
    return warn(
      subject,
      `${folder} does not exist yet, so FreeSWITCH at ${name} could not be asked for it`,
      'start trunkline once, and run the doctor again',
    )
  return fail(
    subject,
    `${folder} is not seen by FreeSWITCH at ${name}`,
    'share DATA_DIR with it at the same path, or set MEDIA_RECORDINGS_DIR',
  )
}

function sdpFindings(
  { hasProfile, sdpAddress }: FreeswitchReport,
  sipHosts: readonly string[],
  place: string,
): readonly Finding[] {
  if (!hasProfile)
    return [
      fail(
        'profile',
        `there is no profile ${SIP_PROFILE} ${place}`,
        'give FreeSWITCH the configuration in freeswitch-conf/',
      ),
    ]
  const fault = rtpFault(sdpAddress, sipHosts)
  if (fault !== undefined) return [fail('SDP', `${fault} ${place}`, RTP)]
  return sdpAddress === undefined
    ? []
    : addressFinding('SDP', `c=IN IP4 ${sdpAddress} ${place}`, [sdpAddress])
}

function callbackFinding(
  reach: CallbackReach,
  { listenHost, toldHost }: CallbackAddress,
  name: string,
): Finding {
  const advice =
    'set MEDIA_CALLBACK_HOST, or MEDIA_CALLBACK_ADDRESS, to an address of this machine that it reaches, and let the firewall accept TCP from it'
  switch (reach) {
    case 'reached':
      return ok('callback', `channels of FreeSWITCH at ${name} connect back to ${toldHost}`)
    case 'not-tried':
      return ok('callback', `channels are told to connect back to ${toldHost} (not tried)`)
    case 'not-ours':
      return fail(
        'callback',
        `MEDIA_CALLBACK_HOST ${listenHost} is no address of this machine`,
        advice,
      )
    case 'not-reached':
      return fail('callback', `FreeSWITCH at ${name} does not reach ${toldHost}`, advice)
  }
}

function addressFinding(
  subject: string,
  text: string,
  hosts: readonly string[],
  advice = NAT,
): Finding[] {
  const isPublic = hosts.some((host) => rangeOf(host) === 'unicast')
  return [isPublic ? ok(subject, text) : warn(subject, `${text}: no public address`, advice)]
}

function rangeOf(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(bare) ? ipaddr.parse(bare).range() : 'unicast'
}

function unreachable(
  subject: string,
  server: ServerUrl,
  error: unknown,
  variable: string,
): Finding {
  const reason = error instanceof Error ? error.message : String(error)
  return fail(subject, `${serverName(server)}: ${reason}`, `start it, or correct ${variable}`)
}

function isOlder(version: string): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number)
  if (parts === undefined) return false
  const at = parts.findIndex((part, index) => part !== SAFE_FREESWITCH[index])
  return at >= 0 && (parts[at] ?? 0) < (SAFE_FREESWITCH[at] ?? 0)
}

function ownAddresses(isSixth: boolean): readonly string[] {
  const family = isSixth ? 'IPv6' : 'IPv4'
  const found = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter((entry) => entry.family === family && !entry.internal)
    .map((entry) => entry.address)
  return found.length > 0 ? found : ['127.0.0.1']
}
