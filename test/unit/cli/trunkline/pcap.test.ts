import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pcapOf } from '../../../../src/cli/trunkline/timeline/pcap.js'
import type { SipMessage } from '../../../../src/cli/trunkline/timeline/sip-messages.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { type ReadPacket, readCapture } from '../../../support/sip/tshark.js'

const CALL = { sid: 'CA1', direction: 'inbound', from: '+15550001111', to: '+15550002222' }
const place = (host: string, port = 5060, transport = 'udp') => ({ transport, host, port })

function message(text: string, isSent: boolean, more: Partial<SipMessage> = {}): SipMessage {
  const detail = { peer: place('192.0.2.1', 5070), local: place('198.51.100.7'), ...more.detail }
  const headers = more.headers ?? {}
  return { call: CALL, at: 1_700_000_000_123, isSent, text, callId: 'a@b', headers, detail }
}

async function read(...messages: readonly SipMessage[]): Promise<readonly ReadPacket[]> {
  using folder = tempFolder()
  const path = join(folder.path, 'call.pcap')
  await writeFile(path, pcapOf(messages))
  return await readCapture(path)
}

const PEER = '192.0.2.1 5070'
const OURS = '198.51.100.7 5060'

it('is read by Wireshark as the SIP messages between the two addresses', async () => {
  const uri = { detail: { requestUri: 'sip:+15550002222@198.51.100.7' } }
  const refer = { headers: { CSeq: '3 REFER', 'Refer-To': '<sip:bob@192.0.2.9>' } }
  const packets = await read(
    message('INVITE', false, { ...uri, headers: { CSeq: '1 INVITE' } }),
    message('180 Ringing', true),
    message('200 OK', true, { headers: { CSeq: '1 INVITE' } }),
    message('ACK', false, uri),
    message('REFER', false, refer),
    message('NOTIFY 200 OK', true),
    message('BYE', true),
  )
  const callId = 'a@b'
  expect(packets).toEqual([
    { source: PEER, target: OURS, summary: 'INVITE', callId, cseq: '1 INVITE' },
    { source: OURS, target: PEER, summary: 'SIP/2.0 180 Ringing', callId, cseq: '1 INVITE' },
    { source: OURS, target: PEER, summary: 'SIP/2.0 200 OK', callId, cseq: '1 INVITE' },
    { source: PEER, target: OURS, summary: 'ACK', callId, cseq: '1 ACK' },
    { source: PEER, target: OURS, summary: 'REFER', callId, cseq: '3 REFER' },
    { source: OURS, target: PEER, summary: 'NOTIFY', callId, cseq: '4 NOTIFY' },
    { source: OURS, target: PEER, summary: 'BYE', callId, cseq: '5 BYE' },
  ])
})

it.each([
  [
    'IPv6 over TLS',
    place('2001:db8::9', 5061, 'tls'),
    place('::1', 5061, 'tls'),
    '2001:db8::9 5061',
  ],
  ['IPv6 with IPv4 in it', place('64:ff9b::192.0.2.7'), place('::'), '64:ff9b::c000:207 5060'],
  ['a host that is a name', place('sip.example'), place('127.0.0.1'), '192.0.2.1 5060'],
])('has %s', async (_what, peer, local, source) => {
  const [packet] = await read(message('OPTIONS', false, { detail: { peer, local } }))
  expect(packet).toMatchObject({ source, summary: 'OPTIONS' })
})

it('leaves out what never crossed the network', async () => {
  const inside = {
    call: CALL,
    at: 1,
    isSent: false,
    text: 'INVITE',
    callId: 'x',
    headers: {},
    detail: {},
  }
  const packets = await read(
    message('INVITE', true),
    message('503 Service Unavailable', false, { detail: { madeBy: 'own-stack' } }),
    inside,
  )
  expect(packets.map(({ summary }) => summary)).toEqual(['INVITE'])
})
