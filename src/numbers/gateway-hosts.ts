/** The hosts of a gateway as customers write them: `198.51.100.7:5080, pbx.example.com`. Pure. */
import { isIP, isIPv4 } from 'node:net'

export interface GatewayHost {
  /** An IPv4 address, or a name in lower case. */
  readonly host: string
  readonly port: number | undefined
}

/** Maximum hosts of a gateway; they are tried in order. */
export const MAX_GATEWAY_HOSTS = 4
export const MAX_GATEWAY_CHARS = 256

const HOST = /^([a-z0-9.-]{1,253})(?::(\d{1,5}))?$/
const SIP_URI = /^sips?:|;/
const HEX = /^0x[0-9a-f]*$/
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Returns the hosts in order, or a description of the error. */
export function readGatewayHosts(text: string): readonly GatewayHost[] | string {
  const written = text.split(',').map((each) => each.trim().toLowerCase())
  if (written.length > MAX_GATEWAY_HOSTS) return `at most ${MAX_GATEWAY_HOSTS} hosts are taken`
  const hosts: GatewayHost[] = []
  for (const each of written) {
    const host = readHost(each)
    if (host === undefined)
      return SIP_URI.test(each)
        ? 'give the host with or without a port, such as pbx.example.com:5080, without sip: and parameters'
        : 'an IPv4 address or a host name is expected, with or without a port'
    hosts.push(host)
  }
  return hosts
}

/** Returns the hosts in canonical form, as stored and shown. */
export function writeGatewayHosts(hosts: readonly GatewayHost[]): string {
  return hosts.map(hostPort).join(',')
}

export function hostPort({ host, port }: GatewayHost): string {
  return port === undefined ? host : `${host}:${String(port)}`
}

function readHost(text: string): GatewayHost | undefined {
  const [, host, port] = HOST.exec(text) ?? []
  if (host === undefined || !isHost(host)) return undefined
  if (port === undefined) return { host, port: undefined }
  const number = Number(port)
  return number >= 1 && number <= 65_535 ? { host, port: number } : undefined
}

/**
 * A name has a last label with a letter: a row of numbers is an address or invalid. Resolvers read `0x7f000001`
 * as a number, too.
 */
function isHost(host: string): boolean {
  if (isIP(host) !== 0) return isIPv4(host)
  const labels = host.split('.')
  const last = labels.at(-1) ?? ''
  return labels.every((label) => LABEL.test(label)) && /[a-z]/.test(last) && !HEX.test(last)
}
