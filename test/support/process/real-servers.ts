import { probeDrachtio } from '../../../src/cli/trunkline/doctor/probe-drachtio.js'
import type { Lab } from '../../../src/lab/start-lab.js'
import { parseServerUrl } from '../../../src/voice/telephony/server-url.js'
import { openLab } from '../media/lab.js'

/** The drachtio and FreeSWITCH that `DRACHTIO_URL` and `FREESWITCH_URL` name for tests. */
export interface RealServers {
  /** Settings of a server under test that uses them. */
  readonly env: Readonly<Record<'DRACHTIO_URL' | 'FREESWITCH_URL' | 'WEBHOOK_ALLOW_CIDRS', string>>
  readonly sipPort: number
  /** Port of SIP over TLS; NaN without TLS. */
  readonly sipTlsPort: number
  /** The lab's phones, as a carrier for the private listener's API. */
  readonly phones: Readonly<Record<string, unknown>>
}

/** True when tests use the lab; false when the environment names real servers. */
export const IS_LAB = process.env['DRACHTIO_URL'] === undefined

let opened: Promise<RealServers> | undefined

/** Resolves with the servers that the environment names; undefined when tests use the lab. */
export async function realServers(): Promise<RealServers | undefined> {
  const { DRACHTIO_URL, FREESWITCH_URL } = process.env
  if (DRACHTIO_URL === undefined || FREESWITCH_URL === undefined) return undefined
  opened ??= open({ DRACHTIO_URL, FREESWITCH_URL })
  return await opened
}

/** Resolves with the servers whose drachtio has TLS, and its authority's certificate file. */
export async function secureServers(): Promise<RealServers & { readonly certFile: string }> {
  const { DRACHTIO_TLS_URL, DRACHTIO_TLS_CA, FREESWITCH_URL } = process.env
  if (!DRACHTIO_TLS_URL || !DRACHTIO_TLS_CA || !FREESWITCH_URL)
    throw new Error('needs DRACHTIO_TLS_URL, DRACHTIO_TLS_CA and FREESWITCH_URL')
  const servers = await open({ DRACHTIO_URL: DRACHTIO_TLS_URL, FREESWITCH_URL })
  return { ...servers, certFile: DRACHTIO_TLS_CA }
}

async function open(
  urls: Readonly<Record<'DRACHTIO_URL' | 'FREESWITCH_URL', string>>,
): Promise<RealServers> {
  const { addresses } = await probeDrachtio(parseServerUrl(urls.DRACHTIO_URL))
  const portOf = (transport: string) =>
    Number(
      addresses
        .find((each) => each.startsWith(`${transport}/127.0.0.1:`))
        ?.split(':')
        .at(-1),
    )
  // Only its phones are used. It ends with the test process.
  const lab = await openLab()
  return {
    env: { ...urls, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
    sipPort: portOf('udp'),
    sipTlsPort: portOf('tls'),
    phones: phonesCarrier(lab),
  }
}

/** Same settings as the built-in carrier of a server with a lab. */
export function phonesCarrier({ phonesUri }: Lab): Readonly<Record<string, unknown>> {
  return {
    host: '127.0.0.1',
    port: Number(phonesUri.split(':').at(-1)),
    prefixes: ['+1500555'],
    addresses: ['127.0.0.0/8'],
  }
}
