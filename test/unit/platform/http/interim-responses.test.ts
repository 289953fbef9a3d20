import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { InterimResponses } from '../../../../src/platform/http/connection.js'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** What a client reads of a connection that sends these pieces one at a time. */
async function readOf(pieces: readonly string[], expectations = 1): Promise<string> {
  const connection = new PassThrough()
  const interim = new InterimResponses(connection, 1_000)
  let read = ''
  connection.on('readable', () => {
    for (;;) {
      const chunk = connection.read() as Buffer | null
      if (chunk === null) return
      read += chunk.toString()
    }
  })
  for (let count = 0; count < expectations; count += 1) interim.expect()
  for (const piece of pieces) {
    connection.write(piece)
    await new Promise(setImmediate)
  }
  connection.end()
  await once(connection, 'end')
  return read
}

it('leaves a final response as it is', async () => {
  expect(await readOf([FINAL])).toBe(FINAL)
})

it('takes off interim responses, in whatever pieces they come', async () => {
  const whole = CONTINUE + CONTINUE + FINAL
  expect(await readOf([whole])).toBe(FINAL)
  expect(await readOf(Array.from(whole))).toBe(FINAL)
  for (let at = 1; at < whole.length; at += 1)
    expect(await readOf([whole.slice(0, at), whole.slice(at)])).toBe(FINAL)
})

it('leaves a body alone that looks like one', async () => {
  const text = `HTTP/1.1 200 OK\r\n\r\n${CONTINUE}`
  expect(await readOf([text, CONTINUE])).toBe(text + CONTINUE)
})

it('leaves what comes while no request is under way', async () => {
  expect(await readOf([CONTINUE], 0)).toBe(CONTINUE)
})

it.each([
  ['no HTTP', 'HELO'],
  ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['headers that are too long', `HTTP/1.1 103 Early Hints\r\nX: ${'y'.repeat(1_000)}`],
])('leaves %s to the client', async (_title, text) => {
  expect(await readOf([text])).toBe(text)
})
