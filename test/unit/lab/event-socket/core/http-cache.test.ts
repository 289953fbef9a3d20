import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { HttpCache } from '../../../../../src/lab/event-socket/core/http-cache.js'
import { createLogger } from '../../../../../src/platform/log.js'

it('a file that cannot be fetched does not give its place to another one', async () => {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(url.includes('absent') ? 404 : 200).end(url)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await using cache = new HttpCache(createLogger('silent'))
  const fetched = (name: string) =>
    cache.localise(`http_cache://http://127.0.0.1:${String(port)}/${name}.wav`)
  const absent = fetched('absent')
  const first = fetched('first')
  expect(await absent).toContain('http_cache://')
  await first
  const second = await fetched('second')
  expect(readFileSync(await first, 'utf8')).toBe('/first.wav')
  expect(readFileSync(second, 'utf8')).toBe('/second.wav')
  expect(await fetched('first')).toBe(await first)
  expect(asked).toHaveLength(3)
  server.closeAllConnections()
  server.close()
})
