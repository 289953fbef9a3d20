import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HttpSink } from '../../../support/http/http-sink.js'
import { freePort } from '../../../support/process/free-port.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { runCommand } from './run-command.js'

const ACCOUNT = `AC${'a'.repeat(32)}`
const TOKEN = 'b'.repeat(32)
const CALL = `CA${'c'.repeat(32)}`
const RECORDING = `RE${'d'.repeat(32)}`
const BASE = `/2010-04-01/Accounts/${ACCOUNT}`

let sink: HttpSink
let env: Record<string, string>
const folder = tempFolder()

beforeAll(async () => {
  sink = await HttpSink.start()
  env = {
    PUBLIC_URL: sink.url,
    FIRST_ACCOUNT_SID: ACCOUNT,
    FIRST_ACCOUNT_TOKEN: TOKEN,
    DATA_DIR: folder.path,
  }
})
beforeEach(() => {
  sink.requests.length = 0
})
afterAll(async () => {
  await sink[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const json = (body: unknown, status = 200) => ({ status, body: JSON.stringify(body) })
const operator = () => ['--admin-url', sink.url, '--admin-token', 'secret']

describe('lists', () => {
  const call = (sid: string) => ({ sid, status: 'busy', from: '+1', to: '+2', duration: null })

  it('asks for the filters, as the account, and shows a table', async () => {
    sink.script(() => json({ calls: [call(CALL)], next_page_uri: null }))
    const { code, out } = await runCommand(
      ['calls', '--status', 'busy', '--since', '2026-01-02'],
      env,
    )
    expect(code).toBe(0)
    expect(out.split('\n')[0]).toMatch(/^SID +STATUS +DIRECTION +FROM +TO +DURATION +DATE CREATED$/)
    expect(out).toContain(CALL)
    const [request] = sink.requests
    expect(request?.target).toBe(
      `${BASE}/Calls.json?Status=busy&StartTime%3E=2026-01-02&PageSize=20`,
    )
    const basic = Buffer.from(`${ACCOUNT}:${TOKEN}`).toString('base64')
    expect(request?.headers.authorization).toBe(`Basic ${basic}`)
  })

  it('follows pages up to the limit, and prints a line of JSON for each record', async () => {
    sink.script(({ target }) =>
      target.includes('Page=1')
        ? json({ calls: [call('CA3'), call('CA4')], next_page_uri: `${BASE}/Calls.json?Page=2` })
        : json({ calls: [call('CA1'), call('CA2')], next_page_uri: `${BASE}/Calls.json?Page=1` }),
    )
    const { out } = await runCommand(['calls', '--limit', '3', '--json'], env)
    const sids = out.split('\n').map((line) => (JSON.parse(line) as { sid: string }).sid)
    expect(sids).toEqual(['CA1', 'CA2', 'CA3'])
    expect(sink.requests).toHaveLength(2)
  })
})

describe('call', () => {
  it('speaks a sentence, whatever characters it has', async () => {
    sink.script(() => json({ sid: CALL, status: 'queued' }, 201))
    const args = ['call', '+15005550001', '--from', '+15005550000', '--say', 'a < b & "c"']
    const { code, out } = await runCommand([...args, '--no-follow', '--json'], env)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ sid: CALL, status: 'queued' })
    expect(Object.fromEntries(sink.requests[0]?.params ?? [])).toEqual({
      To: '+15005550001',
      From: '+15005550000',
      Markup: '<Response><Say>a &lt; b &amp; "c"</Say></Response>',
    })
  })

  it('gives other fields of the API on as they are', async () => {
    sink.script(() => json({ sid: CALL }, 201))
    const args = ['call', '+1', '--from', '+2', '--voice-url', 'http://app.test/', '--no-follow']
    await runCommand([...args, '--param', 'MachineDetection=Enable', '--record'], env)
    expect(Object.fromEntries(sink.requests[0]?.params ?? [])).toMatchObject({
      Url: 'http://app.test/',
      MachineDetection: 'Enable',
      Record: 'true',
    })
  })

  it.each([
    [['call', '+1', '--say', 'x'], "required option '--from <number>' not specified"],
    [['call', '+1', '--from', '+2'], 'one of --say, --markup and --voice-url is needed'],
    [['call', '+1', '--from', '+2', '--say', 'x', '--markup', '<R/>'], 'cannot be used with'],
    [['calls', '--status', 'gone'], 'Allowed choices are queued, ringing'],
    [['calls', '--limit', '0'], 'must be a whole number from 1'],
    [['logs', 'CA1'], 'A sid is CA and 32 hex digits.'],
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['call', '+1', '--from', '+2', '--param', 'x'], 'must have the form Name=value'],
  ])('%j is wrong usage, exit code 2', async (args, message) => {
    const { code, err } = await runCommand(args, env)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) as string })
    expect(sink.requests).toEqual([])
  })
})

describe('keys', () => {
  it('makes one and prints its secret', async () => {
    sink.script(() => json({ sid: 'SK1', secret: 'shown once' }, 201))
    expect((await runCommand(['keys', 'create', 'laptop'], env)).out).toContain('shown once')
    expect(sink.requests[0]).toMatchObject({ method: 'POST', target: `${BASE}/Keys.json` })
    expect(sink.requests[0]?.params).toEqual([['FriendlyName', 'laptop']])
  })
})

describe('recordings download', () => {
  it('saves the sound as a whole file', async () => {
    sink.script(() => ({ body: Buffer.from('RIFF') }))
    const file = join(folder.path, 'talk.mp3')
    const args = ['recordings', 'download', RECORDING, '--format', 'mp3', '-o', file]
    expect(await runCommand(args, env)).toMatchObject({ code: 0, out: '' })
    expect(readFileSync(file, 'utf8')).toBe('RIFF')
    expect(sink.requests[0]?.target).toBe(`${BASE}/Recordings/${RECORDING}.mp3`)
  })
})

describe('the numbers of an account', () => {
  const NUMBER = '+14155550100'
  const SID = `PN${'e'.repeat(32)}`
  const empty = { next_page_uri: null }
  const held = () => json({ incoming_phone_numbers: [{ sid: SID }], ...empty })
  const asked = () => sink.requests.map(({ method, target }) => `${method} ${target}`)
  const mine = '/IncomingPhoneNumbers'

  it('are found and claimed with the credentials of the account', async () => {
    sink.script(() => json({ available_phone_numbers: [{ phone_number: NUMBER }], ...empty }))
    const found = await runCommand(['numbers', 'search', '--area-code', '415'], env)
    expect(found.out).toMatch(/\+14155550100/)
    sink.script(() => json({ sid: SID, phone_number: NUMBER }, 201))
    const args = ['numbers', 'claim', NUMBER, '--voice-url', 'http://app.test/']
    expect(await runCommand(args, env)).toMatchObject({ code: 0, err: '' })
    expect(asked()).toEqual([
      `GET ${BASE}/AvailablePhoneNumbers/US/Local.json?AreaCode=415&PageSize=20`,
      `POST ${BASE}${mine}.json`,
    ])
    const [, claim] = sink.requests
    expect(claim?.headers.authorization).toBe(`Basic ${btoa(`${ACCOUNT}:${TOKEN}`)}`)
    expect(claim?.params).toEqual([
      ['PhoneNumber', NUMBER],
      ['VoiceUrl', 'http://app.test/'],
    ])
  })

  it('are bound anew and given back by the number itself', async () => {
    const looked = `GET ${BASE}${mine}.json?PhoneNumber=%2B14155550100&PageSize=1`
    sink.script(({ method }) => (method === 'GET' ? held() : json({ sid: SID })))
    await runCommand(['numbers', 'bind', NUMBER, '--voice-method', 'GET'], env)
    sink.script(({ method }) => (method === 'GET' ? held() : { status: 204, body: '' }))
    expect(await runCommand(['numbers', 'give-back', NUMBER], env)).toMatchObject({ code: 0 })
    expect(asked()).toEqual([
      ...[looked, `POST ${BASE}${mine}/${SID}.json`],
      ...[looked, `DELETE ${BASE}${mine}/${SID}.json`],
    ])
    expect(sink.requests[1]?.params).toEqual([['VoiceMethod', 'GET']])
  })

  it('say that a number is another’s, and what a number looks like', async () => {
    sink.script(() => json({ incoming_phone_numbers: [], ...empty }))
    const absent = await runCommand(['numbers', 'give-back', NUMBER], env)
    expect(absent).toMatchObject({ code: 1 })
    expect(absent.err).toContain(`does not have the number ${NUMBER}`)
    expect((await runCommand(['numbers', 'claim', '4155550100'], env)).code).toBe(2)
  })
})

describe('the operator’s commands', () => {
  it('give a number to the account that the flags name', async () => {
    sink.script(() => json({ number: '+15551112222' }))
    const args = ['numbers', 'assign', '+15551112222', '--voice-url', 'http://app.test/']
    const { code } = await runCommand([...args, '--account', ACCOUNT, ...operator()], env)
    expect(code).toBe(0)
    const [request] = sink.requests
    expect(request).toMatchObject({ method: 'PUT', target: '/numbers/%2B15551112222' })
    expect(request?.headers.authorization).toBe('Bearer secret')
    expect(JSON.parse(request?.body.toString() ?? '')).toEqual({
      accountSid: ACCOUNT,
      voiceUrl: 'http://app.test/',
    })
  })

  it('add a carrier', async () => {
    sink.script(() => json({ name: 'acme' }))
    const args = [
      'carriers',
      'put',
      'acme',
      '--host',
      'sip.test',
      '--prefix',
      '+1',
      '--prefix',
      '+44',
    ]
    await runCommand([...args, ...operator()], env)
    expect(JSON.parse(sink.requests[0]?.body.toString() ?? '')).toEqual({
      host: 'sip.test',
      prefixes: ['+1', '+44'],
    })
  })

  it('list accounts page by page', async () => {
    const page = (sid: string, nextPageToken: string | null) =>
      json({ accounts: [{ accountSid: sid, status: 'active' }], nextPageToken })
    sink.script(({ target }) =>
      target.includes('pageToken=t1') ? page('AC2', null) : page('AC1', 't1'),
    )
    const { out } = await runCommand(['accounts', '--json', '--status', 'active', ...operator()])
    expect(
      out.split('\n').map((line) => (JSON.parse(line) as { accountSid: string }).accountSid),
    ).toEqual(['AC1', 'AC2'])
    expect(sink.requests[0]?.target).toBe('/accounts?pageSize=20&status=active')
  })

  it('give an account a new token', async () => {
    sink.script(() => json({ authToken: TOKEN }))
    const args = ['accounts', 'rotate', ACCOUNT, '--overlap', '2592000']
    expect((await runCommand([...args, ...operator()])).out).toContain(TOKEN)
    expect(sink.requests[0]?.target).toBe(`/accounts/${ACCOUNT}/RotateKey`)
    expect(JSON.parse(sink.requests[0]?.body.toString() ?? '')).toEqual({
      overlapSeconds: 2_592_000,
    })
  })

  it('give an account a password for the account API', async () => {
    sink.script(() => json({ username: '2025550100', password: 'abcdef1234' }))
    const { out } = await runCommand(['accounts', 'password', ACCOUNT, ...operator()])
    expect(out).toContain('abcdef1234')
    expect(sink.requests[0]?.target).toBe(`/accounts/${ACCOUNT}/password`)
  })

  it('explain a refusal in the words of the server', async () => {
    sink.script(() => json({ error: 'the admin token is missing or wrong' }, 401))
    const { code, err } = await runCommand(['carriers', ...operator()], env)
    expect({ code, err }).toEqual({ code: 1, err: '401: the admin token is missing or wrong' })
  })
})

describe('the server that a command speaks to', () => {
  it('is named in one line when it does not run', async () => {
    const port = String(await freePort())
    const { code, err } = await runCommand(['calls', '--url', `http://127.0.0.1:${port}`], env)
    expect(code).toBe(1)
    expect(err).toBe(
      `no server answers at http://127.0.0.1:${port} (ECONNREFUSED): start it with \`trunkline start\`, or name another with --url`,
    )
  })

  it.each([
    ['calls', '<h1>It works!</h1>', '--url'],
    ['calls', '{"status":"ok"}', '--url'],
    ['keys', '[]', '--url'],
    ['accounts', '<h1>It works!</h1>', '--admin-url'],
  ])('is named in one line when another program answers %s with %s', async (command, body, flag) => {
    sink.script(() => ({ body }))
    expect(await runCommand([command, ...operator()], env)).toMatchObject({
      code: 1,
      err: `what answers at ${sink.url} is no trunkline server: name another with ${flag}`,
    })
  })

  it.each([
    'calls',
    'accounts',
  ])('is named in one line when it goes away while it answers %s', async (command) => {
    sink.script(() => ({ raw: 'HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"calls":[' }))
    expect(await runCommand([command, ...operator()], env)).toMatchObject({
      code: 1,
      err: `the answer of ${sink.url} broke off`,
    })
  })

  it('is the one that DATA_DIR knows, with its first account, when nothing else is said', async () => {
    sink.script(() => json({ calls: [], next_page_uri: null }))
    const own = join(folder.path, 'data')
    mkdirSync(own)
    const other = `AC${'e'.repeat(32)}`
    writeFileSync(
      join(own, 'first-account.json'),
      JSON.stringify({ accountSid: other, authToken: TOKEN }),
    )
    const listeners = [`voice API ${sink.url}`, 'private listener http://127.0.0.1:1']
    writeFileSync(join(own, 'owner.json'), JSON.stringify({ listeners }))
    expect(await runCommand(['calls'], { DATA_DIR: own })).toMatchObject({ code: 0 })
    expect(sink.requests[0]?.target).toContain(other)
  })

  describe('with one of the two of an account in the environment', () => {
    const own = join(folder.path, 'half')
    const other = `AC${'e'.repeat(32)}`

    beforeAll(() => {
      mkdirSync(own)
      const kept = { accountSid: other, authToken: TOKEN }
      writeFileSync(join(own, 'first-account.json'), JSON.stringify(kept))
    })

    it('takes a new token for the account of DATA_DIR', async () => {
      sink.script(() => json({ calls: [], next_page_uri: null }))
      const changed = { DATA_DIR: own, PUBLIC_URL: sink.url, FIRST_ACCOUNT_TOKEN: '9'.repeat(32) }
      expect(await runCommand(['calls'], changed)).toMatchObject({ code: 0 })
      const basic = Buffer.from(`${other}:${'9'.repeat(32)}`).toString('base64')
      expect(sink.requests[0]?.headers.authorization).toBe(`Basic ${basic}`)
    })

    it('does not act for another account than the one that is named', async () => {
      const named = { DATA_DIR: own, PUBLIC_URL: sink.url, FIRST_ACCOUNT_SID: ACCOUNT }
      const { code, err } = await runCommand(['calls'], named)
      expect({ code, err }).toMatchObject({
        code: 2,
        err: expect.stringContaining(`the token of ${ACCOUNT} is not known here`) as string,
      })
      expect(sink.requests).toEqual([])
    })
  })

  it('gets no token of another account', async () => {
    const { code, err } = await runCommand(['calls', '--account', `AC${'f'.repeat(32)}`], env)
    expect({ code, err }).toMatchObject({
      code: 2,
      err: expect.stringContaining('--token') as string,
    })
  })

  it('is asked for nothing when a setting is wrong', async () => {
    const { code, err } = await runCommand(['calls'], { ...env, HTTP_PORT: 'many' })
    expect({ code, err }).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^HTTP_PORT: /) as string,
    })
  })
})

it('changes no account with data that is no object', async () => {
  const args = ['accounts', 'update', ACCOUNT, '--data', '[]', ...operator()]
  const { code, err } = await runCommand(args, env)
  expect({ code, err }).toEqual({ code: 2, err: '--data must be a JSON object' })
  expect(sink.requests).toEqual([])
})
