import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../../src/platform/database/database.js'
import type { Binding } from '../../../../src/voice/registrar/binding.js'
import { Bindings } from '../../../../src/voice/registrar/bindings.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'

const NOW = 1_700_000_000_000
const AOR = { domainSid: 'SD1', username: 'alice' }

let folder: ReturnType<typeof tempFolder>
let db: Database
let bindings: Bindings

beforeEach(async () => {
  folder = tempFolder()
  db = await openTestDatabase(folder.path)
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
/** One REGISTER of a device, as each server that it is sent to would store it. */
const refresh = (changes: {
  readonly cseq: number
  readonly nonce: string
  readonly count: number
}) => {
  const { cseq, nonce, count } = changes
  return bindings.change(AOR, {
    put: [contact('phone', { callId: 'device', cseq, expiresAt: NOW + 60_000 + cseq })],
    remove: [],
    callId: 'device',
    cseq,
    isQuery: false,
    use: { nonce, count, expiresAt: NOW + 60_000 },
  })
}
const outcomes = (all: readonly { readonly type: string }[]) => all.map(({ type }) => type).sort()
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

describe('REGISTERs at the same time', () => {
  it('with one use of a nonce are obeyed once', async () => {
    const all = Array.from({ length: 6 }, (_, at) =>
      refresh({ cseq: at, nonce: 'raced', count: 1 }),
    )
    expect(outcomes(await Promise.all(all))).toEqual(['done', ...Array<string>(5).fill('replayed')])
  })

  it('with growing counts of a nonce never obey a count after a higher one', async () => {
    await refresh({ cseq: 1, nonce: 'counted', count: 8 })
    const late = [1, 7, 8].map((count) => refresh({ cseq: 10 + count, nonce: 'counted', count }))
    expect(outcomes(await Promise.all(late))).toEqual(['replayed', 'replayed', 'replayed'])
    expect((await refresh({ cseq: 2, nonce: 'counted', count: 9 })).type).toBe('done')
  })

  it('of one Call-ID leave the one with the highest CSeq', async () => {
    const all = [3, 1, 2].map((cseq) => refresh({ cseq, nonce: `own${cseq}`, count: 1 }))
    const types = outcomes(await Promise.all(all))
    expect(types.filter((type) => type === 'done').length).toBeGreaterThan(0)
    expect(types).not.toContain('replayed')
    expect(await bindings.of(AOR)).toMatchObject([{ cseq: 3, expiresAt: NOW + 60_003 }])
    expect((await refresh({ cseq: 3, nonce: 'again', count: 1 })).type).toBe('out-of-order')
  })

  it('of different users do not cross each other', async () => {
    const storm = Array.from({ length: 60 }, (_, at) => {
      const aor = { ...AOR, username: `phone${at}` }
      return bindings.change(aor, {
        put: [contact(`phone${at}`, aor)],
        remove: [],
        callId: `phone${at}`,
        cseq: 1,
        isQuery: false,
        use: { nonce: `storm${at}`, count: 1, expiresAt: NOW + 60_000 },
      })
    })
    expect(outcomes(await Promise.all(storm))).toEqual(Array(60).fill('done'))
    expect(await bindings.count()).toBe(60)
    // On SQLite, where one transaction runs at a time, there is no such figure.
    expect(db.figures()['retries_serialization'] ?? 0).toBe(0)
  })

  it('keep ten contacts of a user, whoever was first', async () => {
    const all = Array.from({ length: 12 }, (_, at) => register(contact(`device${at}`)))
    expect(outcomes(await Promise.all(all))).toEqual(Array(12).fill('done'))
    expect(await uris()).toHaveLength(10)
  })
})
