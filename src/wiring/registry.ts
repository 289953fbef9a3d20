import { join } from 'node:path'
import type { Config } from '../config.js'
import { systemClock as clock } from '../platform/clock.js'
import type { Logger } from '../platform/log.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import { createRegistry, type Registry } from '../registry/registry.js'
import { type Base, VERSION } from './base.js'

export function wireRegistry(
  config: Config,
  base: Base,
  outbox: Outbox,
  log: Logger,
  http: () => string,
): Promise<Registry> {
  return createRegistry({
    ...{ ...base, outbox, log, clock, version: VERSION },
    folder: join(base.dataDir, 'registry'),
    tablesFolder: join(base.dataDir, 'registry-tables'),
    publicUrl: () => config.publicUrl ?? http(),
    // Beside the lab nothing is real; an operator may look at what next year brings.
    isClockTurnable: config.servers.type === 'lab',
    ...upstreamOf(config),
  })
}

function upstreamOf({ registryUpstream }: Config) {
  if (registryUpstream === undefined) return {}
  const { url, ...upstream } = registryUpstream
  return { upstream: { ...upstream, baseUrl: url } }
}
