import { join } from 'node:path'
import type { Config } from '../config.js'
import type { Ledger } from '../ledger/ledger.js'
import { isFreeOrTheirs } from '../numbers/held-numbers.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import { createRegistry, type Registry } from '../registry/registry.js'
import type { Base } from './base.js'
import type { Files } from './files.js'
import { VERSION } from './version.js'

export interface RegistryParts {
  readonly outbox: Outbox
  readonly ledger: Ledger
  readonly files: Pick<Files, 'keep'>
  /** Public base URL of this server. */
  readonly publicUrl: string
}

export async function wireRegistry(
  base: Base,
  { outbox, ledger, files, publicUrl }: RegistryParts,
): Promise<Registry> {
  const { accountGate, accounts, clock, config, dataDir, db, disposer, log, outbound, vault } = base
  const registry = disposer.use(
    await createRegistry({
      db,
      accounts,
      accountGate,
      vault,
      clock,
      log,
      outbound,
      outbox,
      ledger,
      keepFiles: files.keep,
      numberSource: { mayProvision: isFreeOrTheirs },
      version: VERSION,
      folder: join(dataDir, 'registry'),
      tablesFolder: join(dataDir, 'registry-tables'),
      publicUrl: () => publicUrl,
      // With the lab nothing is real, so operators may advance the registry's clock.
      isClockTurnable: config.servers.type === 'lab',
      signatures: config.registrySignatures,
      ...upstreamOf(config),
    }),
  )
  await registry.recover()
  return registry
}

function upstreamOf({ registryUpstream }: Config) {
  if (registryUpstream === undefined) return {}
  const { url, ...upstream } = registryUpstream
  return { upstream: { ...upstream, baseUrl: url } }
}
