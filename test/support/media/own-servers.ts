import { IS_LAB, phonesCarrier } from '../process/real-servers.js'
import { type RunningTrunkline, startTrunkline } from '../process/trunkline.js'
import { waitUntil } from '../time/wait-until.js'
import { openLab } from './lab.js'

const LIMIT_MS = 40_000

/** Telephony servers that outlive the trunkline that uses them. */
export interface OwnServers extends AsyncDisposable {
  /** The settings of a trunkline that uses them. */
  readonly env: Readonly<Record<string, string>>
  /** Starts a trunkline that uses them and takes calls from this machine. */
  start(): Promise<RunningTrunkline>
  /** The SIP port for calls to the trunkline; undefined where the trunkline tells it. */
  readonly sipPort: number | undefined
  /** Resolves once no dialog, transaction or channel is left on a lab; at once on real servers. */
  expectNothingLeft(): Promise<void>
}

/** The real servers that the environment names, or a lab that the test owns. */
export async function openOwnServers(): Promise<OwnServers> {
  if (!IS_LAB)
    return {
      env: {},
      start: () => startTrunkline(),
      sipPort: undefined,
      expectNothingLeft: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  const lab = await openLab()
  const env = {
    DRACHTIO_URL: lab.drachtioUrl,
    FREESWITCH_URL: lab.freeswitchUrl,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  }
  return {
    env,
    start: async () => {
      const trunkline = await startTrunkline(env)
      await trunkline.adminApi('PUT', '/carriers/lab', phonesCarrier(lab))
      return trunkline
    },
    sipPort: lab.sipPort,
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
