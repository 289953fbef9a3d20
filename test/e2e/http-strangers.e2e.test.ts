/** Strangers who open connections to the public listener and send nothing, or not all of a request. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'

/** More than the listener takes. */
const CROWD = 4_300
const STRANGER = '127.0.0.66'
/** The most connections that are being opened at once. */
const BATCH = 100

let trunkline: RunningTrunkline
const sockets: Socket[] = []

beforeAll(async () => {
  trunkline = await startTrunkline()
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await trunkline[Symbol.asyncDispose]()
})

async function open(from: string, text: string): Promise<void> {
  const { port } = new URL(trunkline.http)
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: from })
  sockets.push(socket.on('error', () => undefined))
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  socket.write(text)
}

/** The status of an answer, and whether it came on a connection that was there. */
async function ask(from: string, path: string, more: RequestOptions = { agent: false }) {
  const asked = request(`${trunkline.http}${path}`, { localAddress: from, ...more })
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return { status: response.statusCode, isReused: asked.reusedSocket }
}

const own = () => {
  const { sid, secret } = trunkline.account
  return { path: `/2010-04-01/Accounts/${sid}.json`, auth: `${sid}:${secret}` }
}

it.each([
  ['send nothing', ''],
  ['send half a request', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow'],
])('a crowd of one address that %s shuts nobody out', async (_title, text) => {
  for (let begun = 0; begun < CROWD; begun += BATCH)
    await Promise.all(Array.from({ length: BATCH }, () => open(STRANGER, text)))
  const { path, auth } = own()
  expect((await ask('127.0.0.67', '/healthz')).status).toBe(200)
  expect((await ask('127.0.0.68', path, { agent: false, auth })).status).toBe(200)
})

it('a crowd of many addresses leaves those who have authenticated their connections', async () => {
  const { path, auth } = own()
  using agent = disposable(new Agent({ keepAlive: true, maxSockets: 1 }))
  expect((await ask('127.0.0.69', path, { agent, auth })).status).toBe(200)
  for (let index = 0; index < 30; index += 1)
    await Promise.all(Array.from({ length: BATCH }, () => open(`127.0.1.${String(index)}`, '')))
  expect(await ask('127.0.0.69', path, { agent, auth })).toEqual({ status: 200, isReused: true })
  expect((await ask('127.0.0.70', '/healthz')).status).toBe(200)
})

function disposable(agent: Agent): Agent & Disposable {
  return Object.assign(agent, {
    [Symbol.dispose]: () => {
      agent.destroy()
    },
  })
}
