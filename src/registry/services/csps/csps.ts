import type { Account } from '../../../accounts/accounts.js'
import { emit } from '../../events/emit.js'
import type { Core } from '../../model/core.js'
import { freeRegistryId } from '../../model/ids.js'
import { refuse } from '../../model/registry-error.js'
import { type Csp, findCsp, findCspOfAccount, insertCsp, saveCsp } from '../../storage/csps.js'

export interface Csps {
  /** Resolves with the account's CSP, which its first request creates. */
  ofAccount(account: Pick<Account, 'sid' | 'friendlyName'>): Promise<Csp>
  /** Resolves with the CSP; rejects with RegistryError 502 when there is none. */
  find(cspId: string): Promise<Csp>
  update(cspId: string, change: Partial<Csp>): Promise<Csp>
  setStatus(cspId: string, status: Csp['status']): Promise<Csp>
}

export function createCsps(core: Core): Csps {
  const change = (cspId: string, next: (csp: Csp) => Csp, event?: string): Promise<Csp> =>
    core.commit(async (tx) => {
      const csp = await findCsp(tx, cspId)
      if (csp === undefined) throw refuse(502, ['cspId'], `there is no CSP ${cspId}`)
      const changed = next(csp)
      await saveCsp(tx, changed)
      if (event !== undefined) await emit(core, tx, { type: event, cspId })
      return changed
    })
  return {
    ofAccount: async (account) =>
      (await findCspOfAccount(core.db.read, account.sid)) ?? (await create(core, account)),
    find: async (cspId) => {
      const csp = await findCsp(core.db.read, cspId)
      if (csp === undefined) throw refuse(502, ['cspId'], `there is no CSP ${cspId}`)
      return csp
    },
    update: (cspId, fields) => change(cspId, (csp) => ({ ...csp, ...fields })),
    setStatus: (cspId, status) => {
      const event = status === 'ACTIVE' ? 'CSP_ACTIVE' : 'CSP_SUSPEND'
      return change(cspId, (csp) => ({ ...csp, status }), event)
    },
  }
}

function create(core: Core, account: Pick<Account, 'sid' | 'friendlyName'>): Promise<Csp> {
  return core.db.write(async (tx) => {
    // Two first requests may be concurrent: the second finds the CSP of the first.
    const existing = await findCspOfAccount(tx, account.sid)
    if (existing !== undefined) return existing
    const isTaken = async (id: string) => (await findCsp(tx, id)) !== undefined
    const csp: Csp = {
      cspId: await freeRegistryId('S', isTaken),
      accountSid: account.sid,
      name: account.friendlyName,
      status: 'ACTIVE',
      ...core.tables.cspDefaults,
      migrationSupported: true,
      migrationAutoComplete: true,
    }
    await insertCsp(tx, csp, core.clock.now())
    await emit(core, tx, { type: 'CSP_APPROVE', cspId: csp.cspId })
    await emit(core, tx, { type: 'CSP_ACTIVE', cspId: csp.cspId })
    return csp
  })
}
