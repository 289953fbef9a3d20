import { randomUUID } from 'node:crypto'
import type { ServerUrl } from '../../../voice/telephony/server-url.js'
import { LineSocket } from './line-socket.js'

export interface DrachtioReport {
  /** Its SIP addresses, each as `udp/192.0.2.1:5060`; its Contact names these. */
  readonly addresses: readonly string[]
  readonly version: string
}

/** Authenticates at a drachtio server as an application does; rejects with what went wrong. */
export async function probeDrachtio(server: ServerUrl): Promise<DrachtioReport> {
  using socket = await LineSocket.open(server.host, server.port)
  const id = randomUUID()
  const message = `${id}|authenticate|${server.secret}|`
  socket.write(`${Buffer.byteLength(message)}#${message}`)
  const [, result = ''] = await socket.match(new RegExp(`response\\|${id}\\|([^#]*)`))
  const [word = '', first = '', version = '', advertised] = result.trim().split('|')
  if (word !== 'OK') throw new Error(`it refuses: ${first === '' ? word : first}`)
  return { addresses: (advertised ?? first).split(',').filter((each) => each !== ''), version }
}
