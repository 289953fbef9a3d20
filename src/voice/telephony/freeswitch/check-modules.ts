import { ConnectFault } from '../reconnect.js'
import { type ApiCommand, moduleExistsCommand } from './command-builder.js'

/** The modules that every call needs, beside those without which nobody could log in. */
const NEEDED_MODULES = [
  'mod_dptools',
  'mod_sndfile',
  'mod_tone_stream',
  'mod_conference',
  'mod_audio_fork',
]

/** Rejects with a ConnectFault that names the modules that FreeSWITCH has not loaded. */
export async function checkModules(
  api: (command: ApiCommand) => Promise<string>,
  more: readonly string[] = [],
): Promise<void> {
  const missing: string[] = []
  for (const module of [...NEEDED_MODULES, ...more])
    if ((await api(moduleExistsCommand(module))) === 'false') missing.push(module)
  if (missing.length > 0)
    throw new ConnectFault(
      'not-ready',
      `FreeSWITCH has not loaded ${missing.join(', ')}: see freeswitch-conf/freeswitch.xml`,
    )
}
