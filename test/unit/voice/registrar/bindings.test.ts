import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../../src/platform/database/database.js'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import type { Binding } from '../../../../src/voice/registrar/binding.js'
import { Bindings } from '../../../../src/voice/registrar/bindings.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { testDatabase } from '../../../support/process/test-database.js'

const NOW = 1_700_000_000_000
const AOR = { domainSid: 'SD1', username: 'alice' }

let folder: ReturnType<typeof tempFolder>
let db: Database
let bindings: Bindings

beforeEach(async () => {
  folder = tempFolder()
  db = await openDatabase(await testDatabase(folder.path), MIGRATIONS)
  bindings = new Bindings({ db, clock: { now: () => NOW, monotonic: () => 0 } })
})
afterEach(async () => {
  await db[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const contact = (name: string, changes: Partial<Binding> = {}): Binding => ({
  sid: `RG${name}`,
  accountSid: 'AC1',
  ...AOR,
  key: `uri:${name}`,
  contactUri: `sip:${name}@192.168.1.2`,
  q: 1_000,
  instanceId: undefined,
  regId: undefined,
  userAgent: undefined,
  callId: name,
  cseq: 1,
  source: { address: '192.0.2.1', port: 5062, transport: 'udp' },
  isProbed: true,
  silentSince: undefined,
  server: '127.0.0.1:9022',
  expiresAt: NOW + 60_000,
  createdAt: NOW,
  updatedAt: NOW,
  ...changes,
})

let count = 0
const register = (...put: readonly Binding[]) =>
  bindings.change(AOR, {
    put,
    remove: [],
    callId: put[0]?.callId ?? '',
    cseq: put[0]?.cseq ?? 0,
    isQuery: false,
    use: { nonce: `nonce${count++}`, count: 1, expiresAt: NOW + 60_000 },
  })
const uris = async () => (await bindings.of(AOR)).map(({ contactUri }) => contactUri)

describe('contacts', () => {
  it('that are silent come last, until they answer or are refreshed', async () => {
    const [dead, low] = [contact('dead'), contact('low', { q: 100 })]
    await register(dead)
    await register(low)
    expect(await uris()).toEqual([dead.contactUri, low.contactUri])
    await bindings.setSilent([dead], NOW)
    expect(await uris()).toEqual([low.contactUri, dead.contactUri])
    await bindings.setSilent([dead], undefined)
    expect(await uris()).toEqual([dead.contactUri, low.contactUri])
    await bindings.setSilent([dead], NOW)
    await register({ ...dead, cseq: 2 })
    expect(await uris()).toEqual([dead.contactUri, low.contactUri])
  })

  it('whose time is over are called no more, without another request', async () => {
    await register(contact('over', { expiresAt: NOW }), contact('valid', { expiresAt: NOW + 1 }))
    expect(await uris()).toEqual([contact('valid').contactUri])
  })

  it('without a connection are removed, but not when they were refreshed meanwhile', async () => {
    const [gone, refreshed] = [contact('gone'), contact('refreshed')]
    await register(gone)
    await register({ ...refreshed, updatedAt: NOW + 1 })
    await bindings.removeLost([gone, refreshed])
    expect(await uris()).toEqual([refreshed.contactUri])
  })

  it('that need no OPTIONS are not probed', async () => {
    await register(contact('direct', { isProbed: false }))
    await register(contact('natted'))
    expect((await bindings.probed('', 10)).map(({ sid }) => sid)).toEqual(['RGnatted'])
  })
})
