/**
 * FreeSWITCH alone: SIPp calls the profile that trunkline uses, and its dialplan asks a socket here what
 * to do. The answer is the least that plays a sound: there is no signalling server, no webhook, no record.
 */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { LineSocket } from '../../../src/cli/trunkline/doctor/line-socket.js'
import { parseServerUrl, type ServerUrl } from '../../../src/voice/telephony/server-url.js'
import { toneWav } from '../voice-app.js'
import type { System } from './system.js'
import { pidsOf } from './trunkline-system.js'

const PROFILE = 'drachtio_mrf'
const SOUND_SECONDS = 10
/** The time in which the channels of the last calls end. */
const END_MS = 1_000

/** Listens for the channels of calls; `folder` gets the sound, which FreeSWITCH reads there. */
export async function startFreeswitchAlone(url: string, folder: string): Promise<System> {
  const freeswitch = parseServerUrl(url)
  const target = await sipAddressOf(freeswitch)
  const sound = join(folder, 'alone.wav')
  writeFileSync(sound, toneWav(SOUND_SECONDS), { mode: 0o644 })
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.setNoDelay(true)
    socket.resume()
    socket.write(
      `connect\n\nsendmsg\ncall-command: execute\nexecute-app-name: playback\nexecute-app-arg: ${sound}\n\n`,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // A TCP server has one.
  return {
    name: 'FreeSWITCH alone',
    target,
    service: 'alone',
    socket: `127.0.0.1:${port}`,
    pids: pidsOf({ FreeSWITCH: freeswitch.port }),
    refusedLate: () => Promise.resolve(0),
    untilIdle: () => new Promise((resolve) => setTimeout(resolve, END_MS)),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

async function sipAddressOf({ host, port, secret }: ServerUrl): Promise<string> {
  using socket = await LineSocket.open(host, port)
  await socket.match(/auth\/request\s/)
  socket.write(`auth ${secret}\n\n`)
  await socket.match(/Reply-Text: \+OK/)
  socket.write(`api sofia status profile ${PROFILE}\n\n`)
  const [, address = ''] = await socket.match(/^URL\s+sip:[^@\s]*@(\S+)/m)
  return address
}
