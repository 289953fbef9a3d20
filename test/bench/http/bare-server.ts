/**
 * A bare server of Node's own as the limit: it reads the whole request, a form as a form, and
 * answers one text.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface BareCommand {
  /** The expected status of every answer. */
  readonly status: number
  readonly body: string
}

export interface BareReport {
  readonly port: number
}

process.on('message', ({ status, body }: BareCommand) => {
  const resource: unknown = JSON.parse(body)
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
      const answer = form.has('Nothing') ? '{}' : JSON.stringify(resource)
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(answer),
      })
      response.end(answer)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo // A TCP server has one.
    process.send?.({ port })
  })
})
