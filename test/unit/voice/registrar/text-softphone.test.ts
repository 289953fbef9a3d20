import { expect, it } from 'vitest'
import type { ReachableContact } from '../../../../src/voice/registrar/registered-contacts.js'
import { textSoftphone } from '../../../../src/voice/registrar/text-softphone.js'

const TEXT = { accountSid: 'AC1', address: 'client:alice', from: '+13035550142', body: 'Hello' }

const contact = (port: number) =>
  ({
    contactUri: `sip:alice@192.168.1.2:${String(port)}`,
    source: { address: '192.0.2.1', port, transport: 'udp' },
    server: 'signaling:9022',
  }) as ReachableContact // the rest is not looked at

it.each<[string, readonly (number | undefined)[]]>([
  ['taken', [200]],
  ['taken', [202]],
  ['taken', [405, 200]],
  ['taken', [undefined, 200]],
  ['away', []],
  ['away', [undefined]],
  ['away', [480]],
  ['away', [503]],
  ['away', [405, 486]],
  ['refused', [405]],
  ['refused', [415, undefined]],
  ['refused', [603]],
])('is %s by a user whose phones answer %j', async (outcome, statuses) => {
  const asked: unknown[] = []
  const deps = {
    contacts: {
      find: (accountSid: string, address: string) => {
        expect([accountSid, address]).toEqual(['AC1', 'client:alice'])
        return Promise.resolve(statuses.map((_, index) => contact(5_060 + index)))
      },
    },
    telephony: {
      sendText: (...request: readonly unknown[]) => {
        asked.push(request)
        return Promise.resolve(statuses[asked.length - 1])
      },
    },
  }
  expect(await textSoftphone(deps, TEXT)).toBe(outcome)
  if (statuses.length > 0)
    expect(asked[0]).toEqual([
      {
        uri: 'sip:alice@192.168.1.2:5060',
        proxy: expect.stringContaining('192.0.2.1:5060') as string,
        server: 'signaling:9022',
      },
      { from: '+13035550142', body: 'Hello' },
    ])
})
