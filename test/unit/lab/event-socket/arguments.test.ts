import { describe, expect, it } from 'vitest'
import { readPlaySource } from '../../../../src/lab/event-socket/apps/play-source.js'
import { readDtmf } from '../../../../src/lab/event-socket/apps/send-digits.js'
import { expandVariables } from '../../../../src/lab/event-socket/channel/expand-argument.js'
import { urlEncode } from '../../../../src/lab/event-socket/events/switch-event.js'
import { readHangupCause } from '../../../../src/lab/event-socket/model/hangup-cause.js'
import { readSocketTargets } from '../../../../src/lab/event-socket/outbound-socket.js'
import { separate } from '../../../../src/lab/event-socket/protocol/separate.js'

describe('separate', () => {
  it.each<[string, string, string, number | undefined, string[]]>([
    ['blanks count once', ' a  b c ', ' ', undefined, ['a', 'b', 'c']],
    ['the last takes the rest', 'a b c d', ' ', 3, ['a', 'b', 'c d']],
    [
      'quotes hold a blank',
      "u start '/a b.wav' 10",
      ' ',
      undefined,
      ['u', 'start', '/a b.wav', '10'],
    ],
    ['quotes of the last go too', "u name 'a b'", ' ', 3, ['u', 'name', 'a b']],
    ['an escaped quote stays', "'it\\'s' b", ' ', undefined, ["it's", 'b']],
    [
      'a backslash that means nothing stays',
      '1 10 \\d+ 3',
      ' ',
      undefined,
      ['1', '10', '\\d+', '3'],
    ],
    ['two backslashes are one', 'a\\\\b', ' ', undefined, ['a\\b']],
    ['another delimiter', 'a=1;b=2 c;', ';', undefined, ['a=1', 'b=2 c']],
    ['an empty part', 'a;;b', ';', undefined, ['a', '', 'b']],
    ['a delimiter in quotes', "a!'b!c'!d", '!', undefined, ['a', 'b!c', 'd']],
    ['an escaped delimiter', 'a\\;b;c', ';', undefined, ['a;b', 'c']],
    ['nothing', '', ' ', undefined, []],
  ])('%s', (_title, text, delimiter, limit, parts) => {
    expect(separate(text, delimiter, limit)).toEqual(parts)
  })
})

describe('expandVariables', () => {
  const commands: string[] = []
  const expansion = {
    variable: (name: string) =>
      ({ foo: 'bar', long: 'abcdef', nested: '${foo}!', name: 'foo', loop: '${loop}' })[name],
    command: (name: string, args: string) => {
      commands.push(`${name}|${args}`)
      return '<refused>'
    },
  }
  it.each<[string, string, string]>([
    ['no variable', 'plain $5 text', 'plain $5 text'],
    ['a variable', 'pre-${foo}-post', 'pre-bar-post'],
    ['an unknown one is nothing', 'a${nothere}b', 'ab'],
    ['a global one', '$${foo}', 'bar'],
    ['a value that holds one', '${nested}', 'bar!'],
    ['a name that holds one', '${${name}}', 'bar'],
    ['a part of a value', '${long:0:3} ${long:2} ${long:-2}', 'abc cdef ef'],
    ['an escaped dollar', '\\${foo}', '${foo}'],
    ['a command with a blank', 'a ${system id} b', 'a <refused> b'],
    ['a command with brackets', '${system(rm -rf /)}', '<refused>'],
    ['a brace that is not closed', 'x${foo', 'xbar'],
  ])('%s', (_title, text, expanded) => {
    expect(expandVariables(text, expansion)).toBe(expanded)
  })

  it('hands over what a command was asked for', () => {
    commands.length = 0
    expandVariables('${system id} ${curl(http://${foo}/)}', expansion)
    expect(commands).toEqual(['system|id', 'curl|http://bar/'])
  })

  it('stops at values that refer to themselves', () => {
    expect(expandVariables('${loop}', expansion)).toBe('${loop}')
  })
})

describe('urlEncode', () => {
  it.each<[string, string]>([
    ['sofia/drachtio_mrf/nobody@127.0.0.1:5060', 'sofia/drachtio_mrf/nobody%40127.0.0.1%3A5060'],
    ['Fri, 20 Nov 2026 19:24:05 GMT', 'Fri,%2020%20Nov%202026%2019%3A24%3A05%20GMT'],
    ['+OK\n', '%2BOK%0A'],
    ['<sip:a@b>;tag=x', '%3Csip%3Aa%40b%3E%3Btag%3Dx'],
    ['100%', '100%25'],
    ['already%20encoded', 'already%20encoded'],
    ['é', '%C3%A9'],
    ["(*~'!)-_.", "(*~'!)-_."],
  ])('%s', (value, encoded) => {
    expect(urlEncode(value)).toBe(encoded)
  })
})

describe('readPlaySource', () => {
  it.each<[string, string, unknown]>([
    ['a path', '/a/b.wav', { type: 'file', path: '/a/b.wav', offsetSamples: 0 }],
    ['a path without an extension', '/a/b', { type: 'file', path: '/a/b.wav', offsetSamples: 0 }],
    ['a relative path', 'b.wav', { type: 'file', path: '/sounds/b.wav', offsetSamples: 0 }],
    ['variables before it', '{a=b}/c.wav', { type: 'file', path: '/c.wav', offsetSamples: 0 }],
    ['silence', 'silence_stream://500', { type: 'silence', durationMs: 500 }],
    ['silence for ever', 'silence_stream://-1', { type: 'silence', durationMs: -1 }],
    ['noise', 'silence_stream://500,1400', { type: 'silence', durationMs: 500 }],
    ['a tone', 'tone_stream://%(1,2,3);loops=1', { type: 'tone', script: '%(1,2,3);loops=1' }],
    ['a page', 'https://example.com/a.mp3', undefined],
    ['a phrase', 'shout://x', undefined],
  ])('%s', (_title, text, source) => {
    expect(readPlaySource(text, '/sounds')?.from(0)).toEqual(source)
  })

  it('goes on where it was interrupted', () => {
    expect(readPlaySource('silence_stream://500', undefined)?.from(1600)).toEqual({
      type: 'silence',
      durationMs: 300,
    })
    expect(readPlaySource('silence_stream://500', undefined)?.from(4000)).toBeUndefined()
  })
})

describe('small arguments', () => {
  it.each<[string, ReturnType<typeof readDtmf>]>([
    ['12#', { digits: '12#', durationMs: undefined }],
    ['1w2@200', { digits: '1w2', durationMs: 200 }],
    ['1\nx2', { digits: '12', durationMs: undefined }],
  ])('digits %j', (text, dtmf) => {
    expect(readDtmf(text)).toEqual(dtmf)
  })

  it.each<[string, string]>([
    ['USER_BUSY', 'USER_BUSY'],
    ['user_busy', 'USER_BUSY'],
    ['17', 'USER_BUSY'],
    ['', 'NORMAL_CLEARING'],
    ['nonsense', 'NORMAL_CLEARING'],
  ])('hangup cause %j', (text, cause) => {
    expect(readHangupCause(text)).toBe(cause)
  })

  it.each<[string, unknown]>([
    ['127.0.0.1:8086', [{ host: '127.0.0.1', port: 8086 }]],
    [
      'a:1|b:2',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
    ],
    ['[::1]:9', [{ host: '::1', port: 9 }]],
    ['', undefined],
    ['a:0', undefined],
    ['a b:1', undefined],
    ['a:99999', undefined],
  ])('socket target %j', (text, targets) => {
    expect(readSocketTargets(text)).toEqual(targets)
  })
})
