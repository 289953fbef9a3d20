import { isMissing, NEEDED_MODULES } from '../needed-modules.js'
import { ConnectFault } from '../reconnect.js'
import { type ApiCommand, moduleExistsCommand } from './command-builder.js'

/** Rejects with a ConnectFault that names the modules that FreeSWITCH has not loaded. */
export async function checkModules(
  api: (command: ApiCommand) => Promise<string>,
  more: readonly string[] = [],
): Promise<void> {
  const missing: string[] = []
  for (const module of [...NEEDED_MODULES, ...more])
    if (isMissing(module, await api(moduleExistsCommand(module)))) missing.push(module)
  if (missing.length > 0)
    throw new ConnectFault(
      'not-ready',
      `FreeSWITCH has not loaded ${missing.join(', ')}: see freeswitch-conf/freeswitch.xml`,
    )
}
