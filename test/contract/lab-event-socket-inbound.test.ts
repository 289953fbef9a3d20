import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EslClient } from '../support/media/esl-client.js'
import { type MediaServerFixture, mediaServerFixture } from '../support/media/media-server.js'
import { tempFolder } from '../support/process/temp-folder.js'

const GOODBYE = 'Disconnected, goodbye.\nSee you at ClueCon! http://www.cluecon.com/\n'

describe('the event socket, connected to by a client', () => {
  let fixture: MediaServerFixture
  beforeEach(async () => {
    fixture = await mediaServerFixture({ heartbeatMs: 40 })
  })
  afterEach(() => fixture[Symbol.asyncDispose]())

  const login = (): Promise<EslClient> => EslClient.login(fixture.server.port, fixture.secret)

  it('asks for the password, and says goodbye to a wrong one', async () => {
    const client = await EslClient.connect(fixture.server.port)
    await client.next(({ head }) => head['Content-Type'] === 'auth/request')
    expect(await client.reply('api status')).toBe('-ERR command not found')
    expect(await client.reply('auth wrong')).toBe('-ERR invalid')
    const notice = await client.next(
      ({ head }) => head['Content-Type'] === 'text/disconnect-notice',
    )
    expect(notice.body).toBe(GOODBYE)
    await client.closed()
  })

  it('never writes a password down', async () => {
    const client = await EslClient.connect(fixture.server.port)
    await client.reply('auth wrong-but-secret')
    expect(JSON.stringify(fixture.commands)).not.toContain('secret')
  })

  it('lets nobody do anything before the password', async () => {
    const client = await EslClient.connect(fixture.server.port)
    await client.next(({ head }) => head['Content-Type'] === 'auth/request')
    for (const command of ['event json ALL', 'sendmsg x', 'bgapi hupall', 'connect', 'linger'])
      expect(await client.reply(command)).toBe('-ERR command not found')
  })

  it.each<[string, string]>([
    ['foo bar', '-ERR command not found'],
    ['event plain HEARTBEAT CUSTOM a::b c::d', '+OK event listener enabled plain'],
    ['event json SWITCH_EVENT_PLAYBACK_START', '+OK event listener enabled json'],
    ['event json NOSUCH', '-ERR no keywords supplied'],
    ['event', '-ERR no keywords supplied'],
    ['filter Unique-ID abc', '+OK filter added. [Unique-ID]=[abc]'],
    ['filter add Unique-ID abc', '+OK filter added. [Unique-ID]=[abc]'],
    ['filter foo', '-ERR invalid syntax'],
    ['filter delete Unique-ID abc', '+OK filter deleted. [Unique-ID][abc]'],
    ['filter delete all', '+OK filter deleted. [all][]'],
    ['nixevent HEARTBEAT', '+OK events nixed'],
    ['nixevent', '-ERR no keywords supplied'],
    ['noevents', '-ERR not listening for events'],
    ['log 7', '+OK log level 7 [7]'],
    ['nolog', '+OK no longer logging'],
    ['linger', '-ERR not controlling a session'],
    ['nolinger', '-ERR not controlling a session'],
    ['myevents nosuch', '+OK Events Enabled'],
    ['divert_events on', '-ERR not controlling a session.'],
    ['resume', '-ERR command not found'],
    ['getvar x', '-ERR command not found'],
    ['connect', '-ERR command not found'],
    ['api', '-ERR command not found'],
    ['sendmsg nosuch\ncall-command: execute', '-ERR invalid session id [nosuch]'],
    ['exit', '+OK bye'],
  ])('replies to %j', async (command, reply) => {
    const client = await login()
    expect(await client.reply(command)).toBe(reply)
  })

  it.each<[string, RegExp | string]>([
    ['nonsense foo', '-ERR nonsense Command not found!\n'],
    ['system id', '-ERR system Command not found!\n'],
    ['uuid_exists x', 'false'],
    ['uuid_kill x', '-ERR No such channel!\n'],
    ['uuid_break', '-USAGE: <uuid> [all]\n'],
    ['uuid_break x', '-ERR No such channel!\n'],
    ['uuid_record', /^-USAGE: <uuid> \[start\|stop\|mask\|unmask\] <path> /],
    ['uuid_record x start /tmp/x.wav', '-ERR Cannot locate session!\n'],
    ['uuid_bridge x y', '-ERR Invalid uuid\n'],
    ['uuid_transfer x -both park inline', '-ERR No such channel!\n'],
    ['uuid_set_media_stats x', '-ERR No such channel x!\n'],
    ['uuid_audio x', '-USAGE: <uuid> [start [read|write] [mute|level <level>]|stop]\n'],
    ['uuid_send_dtmf x', '-USAGE: <uuid> <dtmf_data>\n'],
    ['uuid_phone_event x talk', '-ERR Operation failed\n'],
    ['show channels count', '\n0 total.\n'],
    ['show channels as json', '{"row_count":0}'],
    ['show channels', '\n0 total.\n'],
    ['show nothing', /^-USAGE: /],
    ['status', /^UP 0 years, 0 days, .*\nFreeSWITCH \(Version .*\) is ready\n0 session\(s\) since/],
    ['version', /^FreeSWITCH Version 1\.10\.12/],
    ['strftime %Y', /^20\d\d$/],
    ['create_uuid', /^[0-9a-f-]{36}$/],
    ['reloadxml', '+OK [Success]\n'],
    ['fsctl pause_check', 'false'],
    ['fsctl max_sessions', '+OK max sessions: 1000\n'],
    ['fsctl shutdown', '-ERR INVALID COMMAND\n'],
    ['hupall NORMAL_CLEARING foo bar', /^\+OK hangup all channels matching \[foo\]=\[bar\] with/],
    ['echo ${hostname} as it is', '${hostname} as it is'],
    ['echo', '-ERR no reply\n'],
  ])('answers api %j', async (command, answer) => {
    const client = await login()
    const text = await client.api(command)
    if (typeof answer === 'string') expect(text).toBe(answer)
    else expect(text).toMatch(answer)
  })

  it('lists its SIP profile as the client library reads it', async () => {
    const client = await login()
    const found = /^\s*drachtio_mrf\s.*sip:mod_sofia@((?:[0-9]{1,3}\.){3}[0-9]{1,3}:\d+)/m.exec(
      await client.api('sofia status'),
    )
    expect(found?.[1]).toBe('127.0.0.1:5080')
  })

  it('answers pipelined commands in order, however they are cut', async () => {
    const client = await login()
    const stream =
      'api echo 1\n\nevent json HEARTBEAT\n\napi echo 2\n\nfilter a b\n\napi echo 3\n\n'
    for (const character of stream) client.write(character)
    const heads: string[] = []
    while (heads.length < 5) {
      const { head, body } = await client.next(({ event }) => event === undefined)
      heads.push(body || (head['Reply-Text'] ?? ''))
    }
    expect(heads).toEqual([
      '1',
      '+OK event listener enabled json',
      '2',
      '+OK filter added. [a]=[b]',
      '3',
    ])
  })

  it('runs a job in the background', async () => {
    const client = await login()
    await client.command('event json BACKGROUND_JOB')
    expect((await client.command('bgapi echo hi there\nJob-UUID: my-job')).head).toMatchObject({
      'Reply-Text': '+OK Job-UUID: my-job',
      'Job-UUID': 'my-job',
    })
    expect(await client.event('BACKGROUND_JOB')).toMatchObject({
      'Job-UUID': 'my-job',
      'Job-Command': 'echo',
      'Job-Command-Arg': 'hi there',
      _body: 'hi there',
    })
  })

  it('beats, with what a client reads off the heartbeat', async () => {
    const client = await login()
    await client.command('event json HEARTBEAT')
    const beat = await client.event('HEARTBEAT')
    for (const field of [
      'Max-Sessions',
      'Session-Count',
      'Session-Per-Sec',
      'FreeSWITCH-Hostname',
      'FreeSWITCH-IPv4',
      'FreeSWITCH-IPv6',
      'FreeSWITCH-Version',
      'Idle-CPU',
    ])
      expect(beat).toHaveProperty(field)
    expect(Number(beat['Idle-CPU'])).toBeGreaterThanOrEqual(0)
  })

  it('writes plain events percent-encoded', async () => {
    const client = await login()
    await client.command('event plain BACKGROUND_JOB')
    await client.command('bgapi echo a b')
    const { body } = await client.next(({ head }) => head['Content-Type'] === 'text/event-plain')
    expect(body).toMatch(/^Event-Name: BACKGROUND_JOB\nCore-UUID: /)
    expect(body).toContain('\nJob-Command-Arg: a%20b\n')
    expect(body).toMatch(/Content-Length: 3\n\na b$/)
  })

  it('passes only the events that a filter names', async () => {
    const client = await login()
    await client.command('event json CUSTOM x::y')
    await client.command('filter foo bar')
    await client.command('sendevent CUSTOM\nEvent-Subclass: x::y\nfoo: other')
    await client.command('sendevent CUSTOM\nEvent-Subclass: x::z\nfoo: bar')
    await client.command('sendevent CUSTOM\nEvent-Subclass: x::y\nfoo: bar')
    const event = await client.event('CUSTOM')
    expect(event).toMatchObject({ 'Event-Subclass': 'x::y', foo: 'bar' })
    expect(client.eventNames).toEqual(['CUSTOM'])
  })

  it('cuts off a client that announces more than it may send', async () => {
    const client = await login()
    client.write('sendevent CUSTOM\nContent-Length: 99999999\n\n')
    await client.closed()
  })

  it('cuts off a client whose command never ends', async () => {
    const client = await login()
    client.write('x'.repeat(70_000))
    await client.closed()
  })

  it('leaves nothing behind', async () => {
    const client = await login()
    expect(fixture.server.connectionCount()).toBe(1)
    client.socket.destroy()
    const other = await login()
    await other.command('noevents')
    await expect.poll(() => fixture.server.connectionCount()).toBe(1)
  })
})

describe('the command log', () => {
  it('holds each command as one line', async () => {
    using folder = tempFolder()
    const file = join(folder.path, 'commands.jsonl')
    {
      await using fixture = await mediaServerFixture({ commandLogFile: file })
      const client = await EslClient.login(fixture.server.port, fixture.secret)
      await client.api('echo one\ttwo')
      await client.reply(
        'sendmsg x\ncall-command: execute\nexecute-app-name: set\nexecute-app-arg: "a"',
      )
    }
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { kind: 'command', connection: 'inbound#1', line: 'auth ***' },
      { kind: 'command', line: 'api echo one\ttwo' },
      { line: 'sendmsg x', headers: { 'execute-app-name': 'set', 'execute-app-arg': '"a"' } },
    ])
  })
})
