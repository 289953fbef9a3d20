import type { MediaFaults } from '../../../src/lab/lab-protocol.js'
import { realServers } from '../process/real-servers.js'
import { waitUntil } from '../time/wait-until.js'
import { eslApi } from './esl-api.js'
import { openLab } from './lab.js'

/** Servers whose FreeSWITCH lacks something while they are open. */
export interface FaultyServers extends AsyncDisposable {
  readonly env: Readonly<Record<'DRACHTIO_URL' | 'FREESWITCH_URL', string>>
}

/** Opens a lab with these faults, or makes the real FreeSWITCH lack a module or its profile meanwhile. */
export async function openFaultyServers(
  faults: MediaFaults,
  sipHost = '127.0.0.1',
): Promise<FaultyServers> {
  const real = await realServers()
  if (real !== undefined) return await spoilReal(real.env, faults)
  const lab = await openLab({ sipHost, mediaFaults: faults })
  const env = {
    DRACHTIO_URL: lab.drachtioUrl,
    FREESWITCH_URL: lab.freeswitchUrl,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  }
  return { env, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() }
}

async function spoilReal(
  env: FaultyServers['env'],
  { missingModules = [], profile }: MediaFaults,
): Promise<FaultyServers> {
  const each = (command: string) =>
    missingModules.map(async (module) => eslApi(env.FREESWITCH_URL, `${command} ${module}`))
  const ourProfile = (command: string) =>
    eslApi(env.FREESWITCH_URL, `sofia profile drachtio_mrf ${command}`)
  await Promise.all(each('unload'))
  if (profile !== undefined) await ourProfile('stop')
  return {
    env,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(each('load'))
      if (profile !== undefined) await ourProfile('start')
      // Waits until FreeSWITCH is complete again for the next test.
      const isWhole = async () => {
        const status = await eslApi(env.FREESWITCH_URL, 'sofia status profile drachtio_mrf')
        const loaded = await Promise.all(each('module_exists'))
        return status.includes('drachtio_mrf') && loaded.every((answer) => answer === 'true')
      }
      await waitUntil('the media server is whole again', isWhole)
    },
  }
}
