import { type Lab, startLab } from '../../lab/start-lab.js'
import { createLogger } from '../../platform/log.js'

/** The telephony servers and phones that the demo uses. */
export interface DemoServers extends AsyncDisposable {
  /** Environment settings for the demo's server. */
  readonly settings: Readonly<Record<string, string>>
  /** Routes calls to the phones; does nothing for a server with its own lab. */
  connectPhones(server: { readonly admin: string; readonly adminToken: string }): Promise<void>
}

/** Settings of drachtio and FreeSWITCH. */
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
 * Returns the servers that the environment names, with a lab's phones; the server's own lab when it names none.
 * The phones record into `recordings`.
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
  // Only its phones are used.
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
    // Beside real servers webhooks may not reach loopback, where the demo's application listens.
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
