import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import twilio from 'twilio'
import { expect, it } from 'vitest'
import { claimTollFree } from '../support/messages/claim-toll-free.js'
import { PNG } from '../support/messages/media-web.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { waitUntil } from '../support/time/wait-until.js'

const NUMBER = '+18005550111'
const LIMIT_MS = 45_000

/** A web server that hangs until it is told to answer. */
async function startSlowWeb() {
  const waiting: ServerResponse[] = []
  const state = { answers: false, asked: 0 }
  const server = createServer((_request, response) => {
    state.asked += 1
    if (state.answers) response.writeHead(200, { 'content-type': 'image/png' }).end(PNG)
    else waiting.push(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/cat.png`,
    state,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function clientOf({ account, http }: RunningTrunkline) {
  const client = twilio(account.sid, account.secret)
  client.api.baseUrl = http
  return client
}

it('a message whose media are fetched as the server is killed arrives once, with them', async () => {
  await using web = await startSlowWeb()
  await using killed = await startTrunkline()
  await claimTollFree(killed, clientOf(killed), NUMBER)
  const wanted = { to: NUMBER, from: NUMBER, body: 'Look', mediaUrl: [web.url] }
  const { sid } = await clientOf(killed).messages.create(wanted)
  await waitUntil('the media are asked for', () => web.state.asked > 0, LIMIT_MS)
  const exited = once(killed.server.process, 'exit')
  killed.server.process.kill('SIGKILL')
  await exited
  web.state.answers = true
  await using next = await startTrunkline({
    DATA_DIR: join(killed.folder, 'data'),
    FIRST_ACCOUNT_SID: killed.account.sid,
    FIRST_ACCOUNT_TOKEN: killed.account.secret,
  })
  const client = clientOf(next)
  const isDelivered = async () => (await client.messages(sid).fetch()).status === 'delivered'
  await waitUntil('the message is delivered', isDelivered, LIMIT_MS, () => next.server.log())
  const arrived = async () =>
    (await client.messages.list()).filter(({ direction }) => direction === 'inbound')
  await waitUntil('it has come in', async () => (await arrived()).length > 0, LIMIT_MS)
  expect(await arrived()).toMatchObject([{ body: 'Look', numMedia: '1', status: 'received' }])
  expect(await client.messages(sid).media.list()).toHaveLength(1)
  expect(await client.messages.list()).toHaveLength(2)
})
