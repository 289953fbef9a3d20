import { phonesCarrier, realServers } from '../process/real-servers.js'
import { type RunningTrunkline, startTrunkline } from '../process/trunkline.js'
import { waitUntil } from '../time/wait-until.js'
import { openLab } from './lab.js'

const LIMIT_MS = 40_000

/** Telephony servers that outlive the trunkline process. */
export interface OwnServers extends AsyncDisposable {
  /** Settings for a trunkline that uses these servers. */
  readonly env: Readonly<Record<'DRACHTIO_URL' | 'FREESWITCH_URL', string>>
  /** Starts a trunkline that uses these servers and accepts calls from this machine. */
  start(): Promise<RunningTrunkline>
  /** SIP port for calls to the trunkline. */
  readonly sipPort: number
  /** Resolves once a lab has no dialog, transaction or channel left; immediately for real servers. */
  expectNothingLeft(): Promise<void>
}

/** The real servers named by the environment, or a lab owned by the test. */
export async function openOwnServers(): Promise<OwnServers> {
  const real = await realServers()
  return real === undefined ? await openOwnLab() : { ...real, ...startOn(real), ...NOTHING }
}

const NOTHING = {
  expectNothingLeft: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
}

async function openOwnLab(): Promise<OwnServers> {
  const lab = await openLab()
  const env = {
    DRACHTIO_URL: lab.drachtioUrl,
    FREESWITCH_URL: lab.freeswitchUrl,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  }
  return {
    env,
    sipPort: lab.sipPort,
    ...startOn({ env, phones: phonesCarrier(lab) }),
    expectNothingLeft: async () => {
      let left: unknown
      const isClear = async () => {
        const { dialogs, channels } = await lab.stats()
        left = { dialogs, channels }
        return dialogs === 0 && channels === 0
      }
      await waitUntil('nothing is left on the lab', isClear, LIMIT_MS, () => left, 50)
    },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}

function startOn(servers: {
  readonly env: Readonly<Record<string, string>>
  readonly phones: Readonly<Record<string, unknown>>
}): Pick<OwnServers, 'start'> {
  return {
    start: async () => {
      const trunkline = await startTrunkline(servers.env)
      await trunkline.adminApi('PUT', '/carriers/lab', servers.phones)
      return trunkline
    },
  }
}
