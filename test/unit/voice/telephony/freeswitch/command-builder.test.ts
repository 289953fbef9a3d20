import { describe, expect, it } from 'vitest'
import {
  breakCommand,
  bridgeCommand,
  channelDefaultsCommand,
  eslArg,
  frameCommand,
  killCommand,
  playCommand,
  recordCommand,
  sendDigitCommand,
  setVariableCommand,
  unbridgeCommand,
} from '../../../../../src/voice/telephony/freeswitch/command-builder.js'
import { UnsafeArgumentError } from '../../../../../src/voice/telephony/port.js'

const A = '11111111-2222-3333-4444-555555555555'
const B = '66666666-7777-8888-9999-aaaaaaaaaaaa'

describe('commands', () => {
  it.each([
    [breakCommand(A), `uuid_break ${A}`],
    [bridgeCommand(A, B), `uuid_bridge ${A} ${B}`],
    [unbridgeCommand(A), `uuid_transfer ${A} -both park inline`],
    [killCommand(A), `uuid_kill ${A}`],
    [sendDigitCommand(A, '#', 100), `uuid_send_dtmf ${A} #@100`],
    [recordCommand(A, 'start', '/data/r/a.wav'), `uuid_record ${A} start /data/r/a.wav`],
    [recordCommand(A, 'mask', '/my data/a.wav'), `uuid_record ${A} mask '/my data/a.wav'`],
    [setVariableCommand(A, 'account', 'AC1'), `uuid_setvar ${A} account AC1`],
    [setVariableCommand(A, 'account', ''), `uuid_setvar ${A} account`],
    [setVariableCommand(A, 'note', 'a b'), `uuid_setvar ${A} note 'a b'`],
  ])('%o', (command, text) => {
    expect(command).toEqual({ type: 'api', text })
  })

  it.each([
    [{ type: 'file', path: '/data/say 1.wav' } as const, '/data/say 1.wav'],
    [{ type: 'silence', durationMs: 1500 } as const, 'silence_stream://1500'],
    [
      { type: 'tone', frequencies: [350, 440], onMs: 200, offMs: 100, repeat: 3 } as const,
      'tone_stream://%(200,100,350,440);loops=3',
    ],
  ])('plays %o', (source, argument) => {
    expect(playCommand(source)).toEqual({ type: 'app', name: 'playback', argument })
  })

  it('switches expansion off and keeps channels alive or not, in one command', () => {
    expect(channelDefaultsCommand(A, () => null)).toEqual({
      type: 'api',
      text: `uuid_setvar_multi ${A} app_disable_expand_variables=true;park_after_bridge=true;hangup_after_bridge=false;hold_hangup_xfer_exten=park:inline;socket_resume=true`,
    })
  })

  it('sets what the dialplan has not set, or set otherwise', () => {
    const dialplan: Readonly<Record<string, string>> = {
      app_disable_expand_variables: 'true',
      park_after_bridge: 'false',
      hangup_after_bridge: 'false',
      hold_hangup_xfer_exten: 'park:inline',
    }
    expect(channelDefaultsCommand(A, (name) => dialplan[name] ?? null)?.text).toBe(
      `uuid_setvar_multi ${A} park_after_bridge=true;socket_resume=true`,
    )
  })

  it('sets nothing where the dialplan has set everything', () => {
    const valueOf = (name: string) =>
      name === 'hold_hangup_xfer_exten' ? 'park:inline' : String(name !== 'hangup_after_bridge')
    expect(channelDefaultsCommand(A, valueOf)).toBeUndefined()
  })
})

describe('what could become a second command', () => {
  const breaks = ['\n', '\r', '\0', '\r\n\r\n', '\n\napi system id']

  it.each(breaks)('%j is refused as an argument', (text) => {
    expect(() => eslArg(`x${text}`)).toThrow(UnsafeArgumentError)
  })

  it.each(breaks)('%j is refused in every place that takes text', (text) => {
    const builders = [
      () => playCommand({ type: 'file', path: `/a${text}` }),
      () => recordCommand(A, 'start', `/a${text}`),
      () => setVariableCommand(A, `n${text}`, 'v'),
      () => setVariableCommand(A, 'n', `v${text}`),
      () => sendDigitCommand(A, `1${text}`, 100),
      () => breakCommand(`${A}${text}`),
      () => bridgeCommand(A, `${B}${text}`),
      () => frameCommand(`api x${text}`),
      () => frameCommand('sendmsg', { 'execute-app-arg': `x${text}` }),
      () => frameCommand('sendmsg', { [`name${text}`]: 'x' }),
    ]
    for (const build of builders) expect(build).toThrow(UnsafeArgumentError)
  })

  it('is not a line separator that only Unicode knows', () => {
    expect(setVariableCommand(A, 'note', 'a\u2028b').text).toBe(`uuid_setvar ${A} note 'a\u2028b'`)
  })

  it('frames a command with its headers and one blank line', () => {
    expect(frameCommand('sendmsg x', { 'call-command': 'execute' })).toBe(
      'sendmsg x\ncall-command: execute\n\n',
    )
    expect(() => frameCommand('')).toThrow(UnsafeArgumentError)
  })
})

describe('what FreeSWITCH gives a meaning to', () => {
  it.each([
    'relative.wav',
    '/data/../etc/passwd',
    '/data/${system id}.wav',
    '/data/a.wav!/etc/b.wav',
    '/data/a.wav@@1000',
    '/data/a|b.wav',
    "/data/it's.wav",
    '/data/"a".wav',
    '/data/{vars}a.wav',
    '/data/back\\slash.wav',
    'shell_stream:///bin/id',
    'http://example.com/a.wav',
    'tone_stream://%(1,1,1)',
  ])('%s is not a path', (path) => {
    expect(() => playCommand({ type: 'file', path })).toThrow(UnsafeArgumentError)
    expect(() => recordCommand(A, 'start', path)).toThrow(UnsafeArgumentError)
  })

  it.each(['/daten/für alle/ä.wav', '/data/a-b_c.d+e=f,g~h#1(2).wav'])('%s is a path', (path) => {
    expect(playCommand({ type: 'file', path }).argument).toBe(path)
  })

  it('quotes keep a value one argument', () => {
    expect(setVariableCommand(A, 'note', `it's a \\ test`).text).toBe(
      String.raw`uuid_setvar ${A} note 'it\'s a \\ test'`,
    )
  })

  it.each(['', 'a b', '1x', 'a=b', 'a;b', '${x}'])('%j is not a variable', (name) => {
    expect(() => setVariableCommand(A, name, 'v')).toThrow(UnsafeArgumentError)
  })

  it.each(['', '12', 'w', '@', '1@'])('%j is not a digit', (digit) => {
    expect(() => sendDigitCommand(A, digit, 100)).toThrow(UnsafeArgumentError)
  })

  it.each([
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 40,
  ])('%d is not a count', (durationMs) => {
    expect(() => playCommand({ type: 'silence', durationMs })).toThrow(UnsafeArgumentError)
  })
})
