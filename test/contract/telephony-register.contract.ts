import { describe, expect, it } from 'vitest'
import type { OutsideRequest } from '../../src/voice/telephony/port.js'
import type { TelephonyRig } from '../support/media/telephony-rig.js'
import { RegisterClient } from '../support/sip/register-client.js'
import { waitUntil } from '../support/time/wait-until.js'

const ALICE = { domain: 'acme.example', user: 'alice' }

export function describeRegister(rig: () => TelephonyRig): void {
  describe('a REGISTER', () => {
    it('is shown with its headers and where it came from', async () => {
      await using client = await RegisterClient.open(await rig().sipPort())
      const seen: OutsideRequest[] = []
      rig().telephony.onOutsideRequest((request) => {
        seen.push(request)
        request.reject(403, 'Forbidden')
      })
      const answer = await client.send({ ...ALICE, expires: 120 }, 'Authorization: Digest a="b"')
      expect(answer.status).toBe(403)
      const [request] = seen
      expect(request).toMatchObject({
        method: 'REGISTER',
        source: { address: '127.0.0.1', port: client.port, transport: 'udp' },
      })
      expect(request?.requestUri).toMatch(/^sip:acme\.example/)
      expect(request?.header('Contact')).toContain(`alice@127.0.0.1:${client.port}`)
      expect(request?.header('Expires')).toBe('120')
      expect(request?.header('Authorization')).toContain('Digest a="b"')
      expect(request?.header('X-Absent')).toBeUndefined()
    })

    it('is challenged by several headers, and answered with its contacts', async () => {
      await using client = await RegisterClient.open(await rig().sipPort())
      const challenges = ['Digest realm="a", nonce="1"', 'Digest realm="a", nonce="2"']
      rig().telephony.onOutsideRequest((request) => {
        if (request.header('Expires') === '60') request.registered(['<sip:a@192.0.2.1>;expires=60'])
        else request.reject(401, 'Unauthorized', { 'WWW-Authenticate': challenges })
      })
      const challenged = await client.send(ALICE)
      expect(challenged.status).toBe(401)
      expect(challenged.headers('WWW-Authenticate')).toHaveLength(2)
      const accepted = await client.send({ ...ALICE, expires: 60 })
      expect(accepted.status).toBe(200)
      expect(accepted.headers('Contact').join()).toMatch(/<sip:a@192\.0\.2\.1>;\s?expires=60/)
    })

    it('opens the way back: OPTIONS reach the address that it came from', async () => {
      await using client = await RegisterClient.open(await rig().sipPort())
      const seen: OutsideRequest[] = []
      rig().telephony.onOutsideRequest((request) => {
        seen.push(request)
        request.registered([])
      })
      await client.send({ ...ALICE, contact: '<sip:alice@192.168.1.2>' })
      const outcome = await rig().telephony.keepAlive({
        uri: 'sip:alice@192.168.1.2',
        proxy: `sip:127.0.0.1:${client.port};transport=udp`,
        server: seen[0]?.server ?? '',
      })
      expect([outcome, client.optionsReceived]).toEqual(['answered', 1])
    })

    it.each([
      'UDP',
      'TCP',
    ] as const)('a MESSAGE over %s is shown with its body', async (transport) => {
      await using client = await RegisterClient.open(await rig().sipPort(), '127.0.0.1', transport)
      const seen: OutsideRequest[] = []
      rig().telephony.onOutsideRequest((request) => {
        seen.push(request)
        if (request.header('Content-Type')?.startsWith('text/') === true) request.accepted(202)
        else request.reject(415, 'Unsupported Media Type', { Accept: 'text/plain' })
      })
      const to = { ...ALICE, contact: '', writesTo: '+13035550142' }
      const plain = ['Content-Type: text/plain;charset=utf-8']
      const body = 'Hello,\r\n\r\nyou \u20ac'
      expect((await client.send({ ...to, headers: plain, body })).status).toBe(202)
      expect(seen[0]).toMatchObject({ method: 'MESSAGE', body })
      expect(seen[0]?.requestUri).toMatch(/^sip:\+13035550142@acme\.example/)
      expect(seen[0]?.header('Content-Type')).toMatch(/^text\/plain/)
      const other = await client.send({ ...to, headers: ['Content-Type: image/png'], body: 'x' })
      expect([other.status, ...other.headers('Accept')]).toEqual([415, 'text/plain'])
      const empty = await client.send({ ...to, headers: plain })
      expect([empty.status, seen[2]?.body]).toEqual([202, ''])
    })

    it('a MESSAGE whose body is longer than any text is refused, or shown without it', async () => {
      await using client = await RegisterClient.open(await rig().sipPort(), '127.0.0.1', 'TCP')
      const seen: OutsideRequest[] = []
      rig().telephony.onOutsideRequest((request) => {
        seen.push(request)
        request.reject(413, 'Request Entity Too Large')
      })
      const to = { ...ALICE, contact: '', writesTo: '+13035550142', body: 'x'.repeat(9_000) }
      const answer = await client.send({ ...to, headers: ['Content-Type: text/plain'] })
      // A server may refuse it before we see it.
      expect([400, 413]).toContain(answer.status)
      expect(seen.filter((request) => request.body !== undefined)).toEqual([])
    })

    it('opens the way for a MESSAGE, whose status is told', async () => {
      await using client = await RegisterClient.open(await rig().sipPort())
      const seen: OutsideRequest[] = []
      rig().telephony.onOutsideRequest((request) => {
        seen.push(request)
        request.registered([])
      })
      await client.send({ ...ALICE, contact: '<sip:alice@192.168.1.2>' })
      const contact = {
        uri: 'sip:alice@192.168.1.2',
        proxy: `sip:127.0.0.1:${client.port};transport=udp`,
        server: seen[0]?.server ?? '',
      }
      const text = { from: '+13035550142', body: 'Hello,\nyou €' }
      expect(await rig().telephony.sendText(contact, text)).toBe(200)
      const [message = ''] = client.messages
      expect(message).toMatch(/^MESSAGE sip:alice@192\.168\.1\.2/)
      expect(message).toMatch(/^from: .*sip:\+13035550142@/im)
      expect(message).toMatch(/^content-type: ?text\/plain;charset=utf-8/im)
      expect(message.endsWith('\r\n\r\nHello,\nyou €')).toBe(true)
      client.messageStatus = 415
      expect(await rig().telephony.sendText(contact, text)).toBe(415)
    })

    it('whose softphone is silent, has closed its connection, or came by another server', async () => {
      const server = new Promise<string>((resolve) => {
        rig().telephony.onOutsideRequest((request) => {
          resolve(request.server)
          request.registered([])
        })
      })
      await using client = await RegisterClient.open(await rig().sipPort())
      await client.send(ALICE)
      const uri = 'sip:alice@192.168.1.2'
      const keepAlive = async (port: number, transport: string, by?: string) =>
        rig().telephony.keepAlive({
          uri,
          proxy: `sip:127.0.0.1:${port};transport=${transport}`,
          server: by ?? (await server),
        })
      const connected = await RegisterClient.open(await rig().sipPort(), '127.0.0.1', 'TCP')
      await connected.send(ALICE)
      expect(await keepAlive(connected.port, 'tcp')).toBe('answered')
      await connected[Symbol.asyncDispose]()
      const isLost = async () => (await keepAlive(connected.port, 'tcp')) === 'lost'
      await waitUntil('its connection is lost', isLost)
      expect(await keepAlive(connected.port, 'tcp', '192.0.2.9:9022')).toBe('unsent')
      client.answersOptions = false
      expect(await keepAlive(client.port, 'udp')).toBe('silent')
    })
  })
}
