import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeResponse } from '../../../../../src/lab/sip/message/make-response.js'
import type { SipRequest } from '../../../../../src/lab/sip/message/types.js'
import type {
  SipPeer,
  SipStack,
  SipStackOptions,
  SipTlsCredentials,
} from '../../../../../src/lab/sip/model/stack-types.js'
import { tempFolder } from '../../../../support/process/temp-folder.js'
import {
  makeAuthority,
  type TestAuthority,
  type TestCertificate,
} from '../../../../support/sip/certificates.js'
import { rawRequest, requestTo } from '../../../../support/sip/sip-messages.js'
import {
  contactOf,
  eventually,
  finalStatus,
  openStack,
  quiet,
  RecordingUser,
  send,
} from '../../../../support/sip/sip-stacks.js'
import { openTcpPeer } from '../../../../support/sip/tcp-peer.js'

const VIA = 'SIP/2.0/TLS 127.0.0.1;branch=z9hG4bK'
const folder = tempFolder()
let authority: TestAuthority
let stranger: TestAuthority
let loopback: TestCertificate
let named: TestCertificate

beforeAll(async () => {
  authority = await makeAuthority(folder.path)
  stranger = await makeAuthority(folder.path, 'stranger')
  loopback = await authority.issue('loopback', ['IP:127.0.0.1', 'DNS:localhost'])
  named = await authority.issue('named', ['DNS:sip.example'])
})
afterAll(() => {
  folder[Symbol.dispose]()
})

const credentialsOf = ({ cert, key }: TestCertificate, ca = authority.cert): SipTlsCredentials => ({
  cert,
  key,
  ca,
})

function openTls(
  certificate: TestCertificate,
  more: Partial<SipStackOptions> = {},
): Promise<SipStack> {
  return openStack({ tls: { port: 0, credentials: credentialsOf(certificate) }, ...more })
}

async function openServer(
  certificate: TestCertificate,
  more: Partial<SipStackOptions> = {},
): Promise<{ stack: SipStack; user: RecordingUser; port: number } & AsyncDisposable> {
  const stack = await openTls(certificate, more)
  const user = new RecordingUser((transaction) => transaction.respond(makeResponse(200)))
  stack.setUser(user)
  return {
    stack,
    user,
    port: contactOf(stack, 'tls').port,
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

/** A client of TLS that trusts the test's authority. */
async function openClient(port: number, more: object = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca: authority.cert, ...more })
  await once(socket, 'secureConnect')
  return socket
}

const options = (uri: string): SipRequest => ({
  ...requestTo({ transport: 'tls', address: '127.0.0.1', port: 5061 }, 'OPTIONS'),
  uri,
})

const peerAt = (port: number, serverName?: string): SipPeer => ({
  transport: 'tls',
  address: '127.0.0.1',
  port,
  serverName,
})

describe('a server over TLS', () => {
  it('answers on the connection that the request came on', async () => {
    await using server = await openServer(loopback)
    const client = await openClient(server.port)
    let text = ''
    client.on('data', (chunk: Buffer) => (text += chunk.toString()))
    client.write(rawRequest('OPTIONS', `${VIA}1`))
    await eventually(() => /^SIP\/2\.0 200/m.test(text))
    expect(server.user.requests[0]?.from).toMatchObject({ transport: 'tls', isFlow: true })
    client.destroy()
    await eventually(() => server.stack.stats().tlsConnections === 0)
    await quiet(server.stack)
  })

  it('takes nothing older than TLS 1.2', async () => {
    await using server = await openServer(loopback)
    const old = { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }
    await expect(openClient(server.port, old)).rejects.toThrow()
    for (const version of ['TLSv1.2', 'TLSv1.3']) {
      const client = await openClient(server.port, { minVersion: version, maxVersion: version })
      expect(client.getProtocol()).toBe(version)
      client.destroy()
    }
  })

  it('ends a connection that speaks no TLS, and takes the next one', async () => {
    await using server = await openServer(loopback)
    await using plain = await openTcpPeer(server.port)
    await plain.write(rawRequest('OPTIONS', `${VIA}1`))
    await plain.closed()
    expect(server.user.requests).toEqual([])
    ;(await openClient(server.port)).destroy()
    await eventually(() => server.stack.stats().tlsConnections === 0)
  })

  it('ends random bytes and broken records without an error', async () => {
    await using server = await openServer(loopback)
    const record = (bytes: readonly number[]) => Buffer.from([0x16, 0x03, 0x01, ...bytes])
    const broken = [
      record([0xff, 0xff]),
      record([0x00, 0x04, 0x01, 0xff, 0xff, 0xff]),
      Buffer.alloc(5_000, 0x80),
      Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]),
    ]
    for (const bytes of broken) {
      const socket = connectTcp(server.port, '127.0.0.1')
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.end(bytes)
      socket.resume()
      await once(socket, 'close')
    }
    await eventually(() => server.stack.stats().tlsConnections === 0)
    ;(await openClient(server.port)).destroy()
  })

  it('gives a handshake its time, and counts it among the connections', async () => {
    await using server = await openServer(loopback, {
      limits: { tlsHandshakeMs: 1_000, tcpConnectionsPerSource: 2 },
    })
    await using first = await openTcpPeer(server.port)
    await using second = await openTcpPeer(server.port)
    await eventually(() => server.stack.stats().tlsConnections === 2)
    await using third = await openTcpPeer(server.port)
    await third.closed()
    await first.closed()
    await second.closed()
    ;(await openClient(server.port)).destroy()
  })

  it('closes a connection that sends nothing after its handshake', async () => {
    await using server = await openServer(loopback, { limits: { tcpIdleMs: 300 } })
    const client = await openClient(server.port)
    client.on('error', () => undefined) // a close may come as a reset
    if (!client.closed) await once(client, 'close')
    await eventually(() => server.stack.stats().tlsConnections === 0)
  })

  it('shows a renewed certificate to the next connection; the one that is up stays', async () => {
    await using server = await openServer(loopback)
    const before = await openClient(server.port)
    let text = ''
    before.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const renewed = await authority.issue('renewed', ['IP:127.0.0.1'])
    server.stack.renewTls(credentialsOf(renewed))
    const after = await openClient(server.port)
    expect(after.getPeerCertificate().subject.CN).toBe('renewed')
    before.write(rawRequest('OPTIONS', `${VIA}1`))
    await eventually(() => /^SIP\/2\.0 200/m.test(text))
    expect(before.getPeerCertificate().subject.CN).toBe('loopback')
    before.destroy()
    after.destroy()
  })

  it('sends requests to a softphone on the connection of the softphone, and dials none', async () => {
    await using server = await openServer(loopback)
    const client = await openClient(server.port)
    let text = ''
    client.on('data', (chunk: Buffer) => (text += chunk.toString()))
    client.write(rawRequest('OPTIONS', `${VIA}1`))
    await eventually(() => server.user.requests.length === 1)
    const from = server.user.requests[0]?.from
    await send(server.stack, options('sip:alice@192.168.1.2'), from)
    await eventually(() => text.includes('OPTIONS sip:alice@192.168.1.2'))
    expect(text).toMatch(/Via: SIP\/2\.0\/TLS 127\.0\.0\.1:\d+;rport;branch/)
    client.destroy()
    await eventually(() => server.stack.stats().tlsConnections === 0)
    const late = await send(server.stack, options('sip:alice@192.168.1.2'), from)
    await eventually(() => late.failures.length === 1)
    expect(late.failures).toEqual(['transport'])
  })
})

describe('a client over TLS', () => {
  it.each([
    ['by a name', undefined],
    ['by an address', 'sip.example'],
  ])('reaches a server %s and uses the connection again', async (_title, name) => {
    await using server = await openServer(name === undefined ? loopback : named)
    await using client = await openTls(loopback)
    for (let index = 0; index < 3; index++) {
      const sent = await send(client, options('sip:x@y'), peerAt(server.port, name))
      expect(await finalStatus(sent)).toBe(200)
    }
    expect(server.stack.stats().tlsConnections).toBe(1)
  })

  it.each<[string, () => TestCertificate, string | undefined, RegExp]>([
    ['for another name', () => loopback, 'sip.example', /sip\.example: .* for another name$/],
    ['for a name and no address', () => named, undefined, /127\.0\.0\.1: .* for another name$/],
  ])('tells of a certificate %s, and sends nothing', async (_title, certificate, name, why) => {
    await using server = await openServer(certificate())
    await using client = await openTls(loopback)
    const told: (Error | undefined)[] = []
    await client.send(
      options('sip:x@y'),
      { onResponse: () => undefined, onFailure: (_kind, error) => told.push(error) },
      peerAt(server.port, name),
    )
    await eventually(() => told.length === 1)
    expect(told[0]?.message).toMatch(why)
    await eventually(() => server.stack.stats().tlsConnections === 0)
    expect(server.user.requests).toEqual([])
  })

  it('tells of an authority that it does not trust', async () => {
    const foreign = await stranger.issue('foreign', ['DNS:sip.example'])
    await using server = await openServer(foreign)
    await using client = await openTls(loopback)
    const told: (Error | undefined)[] = []
    await client.send(
      options('sip:x@y'),
      { onResponse: () => undefined, onFailure: (_kind, error) => told.push(error) },
      peerAt(server.port, 'sip.example'),
    )
    await eventually(() => told.length === 1)
    expect(told[0]?.message).toMatch(/^no TLS connection to sip\.example: .*not trusted$/)
    expect(server.user.requests).toEqual([])
  })

  it('tells of a port where nobody speaks TLS', async () => {
    await using server = await openServer(loopback, { limits: { tcpIdleMs: 50 } })
    await using client = await openTls(loopback)
    const told: (Error | undefined)[] = []
    const tcpPort = contactOf(server.stack, 'tcp').port
    await client.send(
      options('sip:x@y'),
      { onResponse: () => undefined, onFailure: (_kind, error) => told.push(error) },
      peerAt(tcpPort, 'localhost'),
    )
    await eventually(() => told.length === 1)
    expect(told[0]?.message).toMatch(/^no TLS connection to localhost: /)
  })

  it('names the server in the handshake, and shows its own certificate when asked', async () => {
    const seen: { name: unknown; client: unknown }[] = []
    const server = createServer(
      { cert: named.cert, key: named.key, ca: authority.cert, requestCert: true },
      (socket) => {
        seen.push({
          name: (socket as TLSSocket & { servername?: unknown }).servername,
          client: socket.getPeerCertificate().subject.CN,
        })
        socket.on('error', () => undefined)
        socket.resume()
      },
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    {
      await using client = await openTls(loopback)
      await send(client, options('sip:x@y'), peerAt(port, 'sip.example'))
      await eventually(() => seen.length === 1)
    }
    server.close()
    expect(seen).toEqual([{ name: 'sip.example', client: 'loopback' }])
  })

  it('keeps one connection for each name at the same address', async () => {
    await using server = await openServer(
      await authority.issue('both', ['DNS:a.example', 'DNS:b.example']),
    )
    await using client = await openTls(loopback)
    for (const name of ['a.example', 'b.example', 'a.example']) {
      const sent = await send(client, options('sip:x@y'), peerAt(server.port, name))
      expect(await finalStatus(sent)).toBe(200)
    }
    expect(server.stack.stats().tlsConnections).toBe(2)
  })

  it('uses the connection of a name again for its address, as a Record-Route has it', async () => {
    await using server = await openServer(named)
    await using client = await openTls(loopback)
    for (const name of ['sip.example', undefined]) {
      const sent = await send(client, options('sip:x@y'), peerAt(server.port, name))
      expect(await finalStatus(sent)).toBe(200)
    }
    expect(server.stack.stats().tlsConnections).toBe(1)
  })

  it('looks a name up as RFC 3263 says, and checks the certificate for the name', async () => {
    await using server = await openServer(named)
    const asked: string[] = []
    await using client = await openTls(loopback, {
      resolver: {
        srv: (name) => {
          asked.push(name)
          return Promise.resolve([
            { name: 'host.elsewhere', port: server.port, priority: 1, weight: 1 },
          ])
        },
        addresses: () => Promise.resolve(['127.0.0.1']),
      },
    })
    for (const uri of ['sips:x@sip.example', 'sip:x@sip.example;transport=tls']) {
      const sent = await send(client, options(uri))
      expect(await finalStatus(sent)).toBe(200)
    }
    expect(asked).toEqual(['_sips._tcp.sip.example', '_sips._tcp.sip.example'])
    expect(server.user.requests[0]?.request.uri).toBe('sips:x@sip.example')
  })
})
