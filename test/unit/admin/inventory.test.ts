import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createAdminApi } from '../../../src/admin/admin-api.js'
import { createLogger } from '../../../src/platform/log.js'
import { setUpCalls } from '../../support/voice/calls-fixture.js'

const utf16 = (text: string) => Buffer.from(text, 'utf16le')

async function setUp() {
  const bench = await setUpCalls()
  const app = createAdminApi({
    ...bench,
    version: '0.0.0',
    token: 'secret',
    log: createLogger('silent'),
    parts: [],
    metrics: () => Promise.resolve(''),
  })
  const send = async (method: string, path: string, body?: string | Buffer) => {
    const answer = await app.request(path, {
      method,
      headers: { authorization: 'Bearer secret', 'content-type': 'text/csv' },
      ...(body === undefined ? {} : { body }),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    }
  }
  return { ...bench, send }
}

describe('the inventory on the private listener', () => {
  it('is filled with synthetic numbers once, which leave known numbers as they are', async () => {
    await using t = await setUp()
    await t.send('POST', '/inventory/imports', 'number,region\n+12025550100,VA\n')
    expect((await t.send('POST', '/inventory/synthetic')).body).toEqual({ added: 4_099 })
    expect((await t.send('POST', '/inventory/synthetic')).body).toEqual({ added: 0 })
    const listed = await t.send('GET', '/inventory?prefix=%2B1202555010')
    const { numbers } = listed.body as { numbers: { number: string; region: string }[] }
    expect(numbers).toHaveLength(10)
    expect(numbers.map(({ region }) => region).slice(0, 2)).toEqual(['VA', 'DC'])
  })

  it('is imported from CSV, with a report of the refused rows', async () => {
    await using t = await setUp()
    const file = 'number,region\n+14155550100,CA\nnonsense,CA\n+14155550101,CA\n+14155550100,NV\n'
    const done = await t.send('POST', '/inventory/imports', file)
    expect(done.status).toBe(201)
    expect(done.body).toMatchObject({
      sid: expect.stringMatching(/^IM[0-9a-f]{32}$/) as unknown,
      status: 'completed',
      added: 2,
      changed: 0,
      refused: 2,
      refusedRows: [
        { line: 3, text: 'nonsense,CA', reason: expect.stringContaining('number') as unknown },
        { line: 5, text: '+14155550100,NV', reason: expect.stringContaining('twice') as unknown },
      ],
    })
    const again = await t.send('POST', '/inventory/imports', 'number\n+14155550100\n+14155550102\n')
    expect(again.body).toMatchObject({ added: 1, changed: 1, refused: 0 })
    expect(await t.send('GET', `/inventory/imports/${String(done.body['sid'])}`)).toEqual({
      status: 200,
      body: done.body,
    })
    const { imports } = (await t.send('GET', '/inventory/imports')).body as { imports: unknown[] }
    expect(imports).toHaveLength(2)
    expect((await t.send('GET', '/inventory/imports/IM0')).status).toBe(404)
  })

  it.each([
    ['an empty file', '', /empty/],
    ['a file without a header', '+14155550100\n', /no column/],
    ['an unknown column', 'number,colour\n', /colour/],
    ['a quote without end', 'number\n+14155550100\n"+1415', /quote/],
    [
      'a file in Latin-1',
      Buffer.from('number,locality\n+14155550100,Montr\xe9al\n', 'latin1'),
      /not utf-8/,
    ],
    [
      'a file of half a UTF-16',
      Buffer.concat([utf16('number\n'), Buffer.from([0x31])]),
      /utf-16le/,
    ],
  ])('says why it could not read %s', async (_what, file, problem) => {
    await using t = await setUp()
    const done = await t.send('POST', '/inventory/imports', file)
    expect(done).toMatchObject({
      status: 422,
      body: { status: 'failed', problem: expect.stringMatching(problem) as unknown },
    })
  })

  it.each([
    ['semicolons', 'number;locality\r\n+14155550100;"San; Francisco"\r\n'],
    ['tabs', 'number\tlocality\n+14155550100\tSan; Francisco\n'],
    ['line ends of CR', 'number,locality\r+14155550100,San; Francisco\r'],
    ['UTF-16 with a BOM', utf16('\ufeffnumber\tlocality\r\n+14155550100\tSan; Francisco\r\n')],
    [
      'UTF-16 of the other order',
      utf16('\ufeffnumber\tlocality\r\n+14155550100\tSan; Francisco\r\n').swap16(),
    ],
    ['UTF-16 without a BOM', utf16('number,locality\n+14155550100,San; Francisco\n')],
    ['UTF-8 with a BOM', '\ufeffnumber,locality\n+14155550100,San; Francisco'],
  ])('takes a file with %s', async (_what, file) => {
    await using t = await setUp()
    const done = await t.send('POST', '/inventory/imports', file)
    expect(done).toMatchObject({ status: 201, body: { status: 'completed', added: 1, refused: 0 } })
    const { numbers } = (await t.send('GET', '/inventory')).body as {
      numbers: readonly { readonly locality: string | null }[]
    }
    expect(numbers).toMatchObject([{ number: '+14155550100', locality: 'San; Francisco' }])
  })

  it('counts lines that end with CR, LF and both', async () => {
    await using t = await setUp()
    const file = 'number\r\n+14155550100\r"nobody\r\n"\n\nnothing\n'
    const { body } = await t.send('POST', '/inventory/imports', file)
    const refused = body['refusedRows'] as readonly { readonly line: number }[]
    expect(refused.map(({ line }) => line)).toEqual([3, 6])
  })

  it('takes many rows in batches, and shows the progress meanwhile', async () => {
    await using t = await setUp()
    let seen: readonly unknown[] = []
    const rows = (from: number) =>
      Array.from({ length: 600 }, (_, i) => `+1415556${String(from + i).padStart(4, '0')}\n`)
    const file = (async function* () {
      yield Buffer.from('number\n')
      yield Buffer.from(rows(0).join(''))
      yield Buffer.from(rows(600).join(''))
      seen = await t.imports.list()
    })()
    expect(await t.imports.run(file)).toMatchObject({ status: 'completed', added: 1_200 })
    expect(seen).toMatchObject([{ status: 'running', added: 1_000 }])
  })

  it('keeps what came before the sender went away', async () => {
    await using t = await setUp()
    const file = function* () {
      yield Buffer.from('number\n+14155550100\n')
      throw new Error('the connection is gone')
    }
    expect(await t.imports.run(Readable.from(file()))).toMatchObject({ status: 'failed', added: 1 })
  })

  it('is listed in the order of the numbers, with their holders, and deleted', async () => {
    await using t = await setUp()
    const numbers = ['+14155550100', '+14155550101', '+442079460018', '+18005550100']
    await t.send('POST', '/inventory/imports', `number\n${numbers.join('\n')}\n`)
    await t.numbers.claim(t.account.sid, { e164: '+14155550101' }, {}, t.ledger)
    const list = async (query: string) => {
      const { status, body } = await t.send('GET', `/inventory?${query}`)
      expect(status, JSON.stringify(body)).toBe(200)
      const found = body['numbers'] as { number: string; heldBy?: string }[]
      return { next: body['next'], found: found.map(({ number, heldBy }) => [number, heldBy]) }
    }
    const first = await list('limit=3')
    expect(first).toEqual({
      found: [
        ['+14155550100', undefined],
        ['+14155550101', t.account.sid],
        ['+18005550100', undefined],
      ],
      next: '+18005550100',
    })
    const rest = await list(`limit=3&after=${encodeURIComponent(String(first.next))}`)
    expect(rest).toEqual({ found: [['+442079460018', undefined]], next: null })
    expect((await list('held=true')).found).toHaveLength(1)
    expect((await list('held=false&prefix=%2B1415')).found).toEqual([['+14155550100', undefined]])
    expect((await list('country=gb')).found).toHaveLength(1)
    expect((await t.send('GET', '/inventory?limit=0')).status).toBe(400)
    expect((await t.send('DELETE', '/inventory/+14155550101')).status).toBe(204)
    expect((await t.send('DELETE', '/inventory/+14155550101')).status).toBe(404)
    expect(await t.numbers.called('+14155550101')).toBeDefined()
    expect((await list('')).found).toHaveLength(3)
  })
})
