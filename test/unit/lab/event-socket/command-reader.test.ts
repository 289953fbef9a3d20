import { describe, expect, it } from 'vitest'
import {
  type Command,
  CommandReader,
  CommandTooLargeError,
} from '../../../../src/lab/event-socket/protocol/command-reader.js'

const MESSAGE =
  'sendmsg 7a7f88a6\ncall-command: execute\nexecute-app-name: playback\nexecute-app-arg: a: b\n\n'

function readAll(pieces: readonly string[]): Command[] {
  const reader = new CommandReader()
  return pieces.flatMap((piece) => reader.push(Buffer.from(piece)))
}

describe('CommandReader', () => {
  it.each<[string, string[], string[]]>([
    ['one command', ['api status\n\n'], ['api status']],
    ['a command in three segments', ['api st', 'atus\n', '\n'], ['api status']],
    ['two commands in one segment', ['api a\n\napi b\n\n'], ['api a', 'api b']],
    ['blank lines between commands', ['\n\r\n\napi a\n\n\n\n', '\napi b\n\n'], ['api a', 'api b']],
    ['CRLF line ends', ['api a\r\n\r\n', 'exit\r\n\r\n'], ['api a', 'exit']],
    ['a command that is not over', ['api a\n'], []],
    ['text that is not ASCII', ['api écho µ\n\n'], ['api écho µ']],
  ])('%s', (_title, pieces, lines) => {
    expect(readAll(pieces).map((command) => command.line)).toEqual(lines)
  })

  it('reads every way to cut a stream alike', () => {
    const stream = `${MESSAGE}sendevent CUSTOM\nContent-Length: 5\n\nhello${MESSAGE}`
    const whole = readAll([stream])
    for (let at = 1; at < stream.length; at++)
      expect(readAll([stream.slice(0, at), stream.slice(at)])).toEqual(whole)
    expect(whole).toHaveLength(3)
  })

  it('takes header values as they are', () => {
    const [command] = readAll([MESSAGE])
    expect(Object.fromEntries(command?.headers ?? [])).toEqual({
      'call-command': 'execute',
      'execute-app-name': 'playback',
      'execute-app-arg': 'a: b',
    })
  })

  it('reads a body by its length and no further', () => {
    const [first, second] = readAll(['sendmsg x\ncontent-length: 5\n\nhelloapi uptime\n\n'])
    expect(first?.body).toBe('hello')
    expect(second?.line).toBe('api uptime')
  })

  it.each<[string, string]>([
    ['a head without an end', 'api '.padEnd(200, 'x')],
    ['a head too long', `api ${'x'.repeat(200)}\n\n`],
    ['a body too long', 'sendevent X\ncontent-length: 65\n\n'],
  ])('refuses %s', (_title, text) => {
    const reader = new CommandReader({ headBytes: 100, bodyBytes: 64 })
    expect(() => reader.push(Buffer.from(text))).toThrow(CommandTooLargeError)
  })

  it('throws nothing but CommandTooLargeError, whatever comes', () => {
    const seed = 20_261_120
    let state = seed
    const random = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return state % below
    }
    const alphabet = 'api \n\r:content-length0123456789\0é'
    for (let round = 0; round < 300; round++) {
      const reader = new CommandReader({ headBytes: 500, bodyBytes: 500 })
      try {
        for (let piece = 0; piece < 20; piece++) {
          const text = Array.from({ length: random(40) }, () => alphabet[random(alphabet.length)])
          reader.push(Buffer.from(text.join('')))
        }
      } catch (err) {
        expect(err, `seed ${seed}, round ${round}`).toBeInstanceOf(CommandTooLargeError)
      }
    }
  })
})
