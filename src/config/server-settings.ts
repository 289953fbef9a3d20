import { isLoopback, PRIVATE_NETWORKS } from '../platform/cidr.js'
import type { EnvReader } from './env-reader.js'

/** Secrets that come with the servers. */
const DEFAULT_SECRETS = ['cymru', 'ClueCon']

export type Servers =
  | { readonly type: 'lab' }
  | {
      readonly type: 'real'
      readonly drachtio: readonly string[]
      readonly freeswitch: readonly string[]
      readonly callback: CallbackAddress
      /** The CIDRs of parties that reach FreeSWITCH at the address inside. */
      readonly localNetworks: readonly string[]
    }

/** Address that FreeSWITCH channels connect back to, for commands and forked audio. */
export interface CallbackAddress {
  readonly host: string
  /** The host as FreeSWITCH reaches it; undefined when that is `host` itself. */
  readonly advertisedHost: string | undefined
}

export function readServers(reader: EnvReader, problems: string[]): Servers {
  const drachtio = reader.list('DRACHTIO_URL')
  const freeswitch = reader.list('FREESWITCH_URL')
  const callback = readCallback(reader)
  const localNetworks = reader.ranges('LOCAL_NETWORKS', PRIVATE_NETWORKS)
  if (drachtio.length === 0 && freeswitch.length === 0) return { type: 'lab' }
  if (drachtio.length === 0) problems.push('DRACHTIO_URL: needed because FREESWITCH_URL is set')
  if (freeswitch.length === 0) problems.push('FREESWITCH_URL: needed because DRACHTIO_URL is set')
  for (const url of drachtio) checkServerUrl('DRACHTIO_URL', url, problems)
  for (const url of freeswitch) checkServerUrl('FREESWITCH_URL', url, problems)
  if (['0.0.0.0', '::'].includes(callback.host) && callback.advertisedHost === undefined)
    problems.push(
      `MEDIA_CALLBACK_ADDRESS: needed because MEDIA_CALLBACK_HOST is ${callback.host}, where nobody can connect to`,
    )
  return { type: 'real', drachtio, freeswitch, callback, localNetworks }
}

function readCallback(reader: EnvReader): CallbackAddress {
  return {
    host: reader.address('MEDIA_CALLBACK_HOST', '127.0.0.1'),
    advertisedHost: reader.optional('MEDIA_CALLBACK_ADDRESS'),
  }
}

function checkServerUrl(name: string, text: string, problems: string[]): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'tcp:' || url.hostname === '' || url.port === '' || url.password === '') {
    problems.push(`${name}: every entry has the form tcp://:SECRET@HOST:PORT`)
    return
  }
  if (!/^(\?weight=[1-9]\d{0,3})?$/.test(url.search))
    problems.push(`${name}: the one parameter of an entry is weight=1 to 9999`)
  const secret = decoded(url.password)
  if (secret === undefined)
    problems.push(`${name}: the secret has a % that is no escape; write %25`)
  else if (DEFAULT_SECRETS.includes(secret) && !isLoopback(url.hostname)) {
    problems.push(`${name}: the default secret is refused outside loopback (${url.hostname})`)
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
