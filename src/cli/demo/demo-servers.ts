import { type Lab, startLab } from '../../lab/start-lab.js'
import { createLogger } from '../../platform/log.js'

/** What carries the call of the demo, with the phone that it calls. */
export interface DemoServers extends AsyncDisposable {
  /** The settings by which the server of the demo uses it. */
  readonly settings: Readonly<Record<string, string>>
  /** Leads calls to the phones; a server with its own lab does so already. */
  connectPhones(server: { readonly admin: string; readonly adminToken: string }): Promise<void>
}

/** The settings that are about drachtio and FreeSWITCH. */
const REAL_SERVER_SETTINGS = [
  'DRACHTIO_URL',
  'FREESWITCH_URL',
  'LOCAL_NETWORKS',
  'MEDIA_CALLBACK_ADDRESS',
  'MEDIA_CALLBACK_HOST',
  'MEDIA_FILES',
  'MEDIA_RECORDINGS_DIR',
]

/**
 * Returns the servers that the environment names, with the phones of a lab beside them; the server's
 * own lab when it names none. The phones record into `recordings`.
 */
export async function openDemoServers(
  env: Readonly<Record<string, string | undefined>>,
  recordings: string,
): Promise<DemoServers> {
  const isReal = [env['DRACHTIO_URL'], env['FREESWITCH_URL']].some((url) => (url ?? '') !== '')
  return isReal ? await besideRealServers(env, recordings) : inOwnLab(recordings)
}

function inOwnLab(recordings: string): DemoServers {
  return {
    settings: { LAB_RECORDINGS_DIR: recordings },
    connectPhones: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

async function besideRealServers(
  env: Readonly<Record<string, string | undefined>>,
  recordings: string,
): Promise<DemoServers> {
  // Its phones alone are used.
  const lab = await startLab(
    {
      sipHost: '127.0.0.1',
      sipPort: 0,
      rtpPorts: { first: 0, last: 0 },
      recordingsDir: recordings,
      sourceRate: 1_000,
      logLevel: 'warn',
    },
    createLogger('warn'),
  )
  const given = REAL_SERVER_SETTINGS.flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    // The application of the demo listens on loopback, which webhooks may not reach beside real servers.
    settings: { ...Object.fromEntries(given), WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
    connectPhones: (server) => putCarrier(server, lab),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}

async function putCarrier(
  { admin, adminToken }: { readonly admin: string; readonly adminToken: string },
  { phonesUri }: Lab,
): Promise<void> {
  const answer = await fetch(`${admin}/carriers/lab`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      host: '127.0.0.1',
      port: Number(phonesUri.split(':').at(-1)),
      prefixes: ['+1500555'],
      addresses: ['127.0.0.0/8'],
    }),
  })
  if (!answer.ok) throw new Error(`the carrier of the phones was refused: ${answer.status}`)
}
