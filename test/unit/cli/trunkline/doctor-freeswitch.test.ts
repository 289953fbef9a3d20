import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { checkTelephony } from '../../../../src/cli/trunkline/doctor/check-telephony.js'
import { probeFreeswitch } from '../../../../src/cli/trunkline/doctor/probe-freeswitch.js'
import { readConfig } from '../../../../src/config.js'
import { parseServerUrl } from '../../../../src/voice/telephony/server-url.js'

const PROFILE = `Name\tdrachtio_mrf\nRTP-IP\t127.0.0.1\nURL\tsip:mod_sofia@127.0.0.1:5080\n`

/** An event socket that answers as FreeSWITCH does; `onOriginate` gets the address to connect back to. */
async function startEventSocket(
  answers: Readonly<Record<string, string>>,
  onOriginate: (place: { readonly host: string; readonly port: number }) => string,
) {
  const commands: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.write('Content-Type: auth/request\n\n')
    socket.on('data', (chunk) => {
      const command = chunk.toString().trim()
      commands.push(command)
      if (command.startsWith('auth ')) {
        socket.write('Content-Type: command/reply\nReply-Text: +OK accepted\n\n')
        return
      }
      const [, host = '', port = ''] = /X-esl-outbound=([^:]+):(\d+)/.exec(command) ?? []
      const name = Object.keys(answers).find((each) => command.startsWith(`api ${each}`))
      const body = command.startsWith('api originate')
        ? onOriginate({ host, port: Number(port) })
        : (answers[name ?? ''] ?? 'true')
      socket.write(
        `Content-Type: api/response\nContent-Length: ${String(Buffer.byteLength(body))}\n\n${body}`,
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    commands,
    url: parseServerUrl(`tcp://:secret@127.0.0.1:${String(port)}`),
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

const EXPECTED = {
  folder: '/tmp',
  callback: { listenHost: '127.0.0.1', toldHost: '127.0.0.1' },
  modules: ['mod_sndfile', 'mod_audio_fork'],
}
const ANSWERS = {
  version: 'FreeSWITCH Version 1.10.12-release 64bit',
  'sofia status': PROFILE,
}

describe('the probe of a FreeSWITCH', () => {
  it('sees that its channels connect back, and leaves no call behind', async () => {
    await using server = await startEventSocket(ANSWERS, ({ host, port }) => {
      const back = connect(port, host)
      back.on('error', () => back.destroy())
      return '+OK 1\n'
    })
    const report = await probeFreeswitch(server.url, EXPECTED)
    expect(report).toMatchObject({
      version: '1.10.12-release',
      sdpAddress: '127.0.0.1',
      callback: 'reached',
      missingModules: [],
    })
    const [call = ''] = server.commands.filter((each) => each.includes('originate'))
    expect(call).toContain('}sofia/drachtio_mrf/doctor@127.0.0.1:5080 &park()')
    const uuid = /origination_uuid=([\w-]+)/.exec(call)?.[1] ?? 'none'
    expect(server.commands).toContain(`api uuid_kill ${uuid}`)
  })

  it.each([
    ['that answers its own call and does not come back', '+OK 1\n', 'not-reached'],
    ['that refuses its own call', '-ERR CALL_REJECTED\n', 'not-tried'],
  ])('tells one %s', async (_title, answer, reach) => {
    await using server = await startEventSocket(ANSWERS, () => answer)
    expect((await probeFreeswitch(server.url, EXPECTED)).callback).toBe(reach)
  })

  it('tells that the address for channels is not of this machine', async () => {
    await using server = await startEventSocket(ANSWERS, () => '+OK 1\n')
    const callback = { listenHost: '203.0.113.77', toldHost: '203.0.113.77' }
    expect((await probeFreeswitch(server.url, { ...EXPECTED, callback })).callback).toBe('not-ours')
  })

  it('names the modules that are not loaded, and tries nothing without the profile', async () => {
    const answers = {
      ...ANSWERS,
      'sofia status': 'Invalid Profile!',
      'module_exists mod_audio_fork': 'false',
    }
    await using server = await startEventSocket(answers, () => '+OK 1\n')
    const report = await probeFreeswitch(server.url, EXPECTED)
    expect(report).toMatchObject({
      sdpAddress: undefined,
      callback: 'not-tried',
      missingModules: ['mod_audio_fork'],
    })
    expect(server.commands.join()).not.toContain('originate')
  })
})

describe('the data folder that FreeSWITCH shall see', () => {
  it.each([
    ['/nowhere/at-all', 'warn', 'does not exist yet'],
    ['/tmp', 'fail', 'is not seen by FreeSWITCH'],
  ])('%s: %s', async (folder, level, text) => {
    const answers = { ...ANSWERS, file_exists: 'false' }
    await using server = await startEventSocket(answers, () => '+OK 1\n')
    const { host, port, secret } = server.url
    const env = {
      DRACHTIO_URL: 'tcp://:secret@127.0.0.1:1',
      FREESWITCH_URL: `tcp://:${secret}@${host}:${String(port)}`,
      DATA_DIR: folder,
    }
    const facts = { config: readConfig(env), env, flags: {}, url: '', readiness: undefined }
    const findings = await checkTelephony(facts)
    const finding = findings.find(({ subject }) => subject === 'media files')
    expect(finding?.level).toBe(level)
    expect(finding?.text).toContain(text)
  })
})
