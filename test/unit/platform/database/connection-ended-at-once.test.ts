import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { binding } from '../../../../src/platform/database/at-rest.js'
import { CheckedPool } from '../../../../src/platform/database/postgres/checked-pool.js'
import { readPostgresUrl } from '../../../../src/platform/database/postgres-url.js'

/** A message of PostgreSQL's protocol: its type, its length, its fields. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(type), length, body])
}

const AUTHENTICATED = message('R', Buffer.alloc(4))
const READY = message('Z', Buffer.from('I'))
const ENDED = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
)

it('a connection that the server ends in the packet that opens it fails its query, and not the process', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined) // The pool has gone.
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, ENDED])))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  let lost = 0
  const url = `postgres://trunkline@127.0.0.1:${String(port)}/trunkline`
  const pool = new CheckedPool(readPostgresUrl(url), 1, {
    bind: binding((text) => text),
    onLost: () => {
      lost += 1
    },
  })
  const connection = await pool.connect()
  await expect(connection.query('select 1', [])).rejects.toThrow()
  connection.release()
  expect(lost).toBeGreaterThan(0)
  expect(pool.lost).toBe(1)
  expect(pool.connections).toBe(0)
  await pool.end()
  server.close()
  await once(server, 'close')
})
