import { expect, it } from 'vitest'
import {
  MessageTap,
  type WireMessage,
} from '../../../../../src/voice/telephony/signaling/message-tap.js'

const TEXT = 'OPTIONS sip:a SIP/2.0\r\nCall-ID: one@two\r\n\r\n'
const peer = { transport: 'udp', host: '192.0.2.1', port: 5070 }

function heard(lines: readonly string[], callId = 'one@two'): readonly WireMessage[] {
  const tap = new MessageTap()
  const messages: WireMessage[] = []
  tap.watch(callId, (message) => messages.push(message))
  for (const line of lines) tap.onMessage(line)
  return messages
}

it.each<[string, string, Omit<WireMessage, 'text'>]>([
  [
    'a received message',
    'u1|sip|network|60|udp|192.0.2.1|5070|10:00:00.0|t1|d1|',
    { direction: 'received', peer },
  ],
  [
    'a response of our own stack',
    'u1|sip|network|60||||10:00:00.0|t1|d1|',
    { direction: 'received', peer: undefined },
  ],
  [
    'a sent message',
    'u1|response|m1|OK|application|60|udp|192.0.2.1|5070|10:00:00.0|t1|Msg sent:|',
    { direction: 'sent', peer },
  ],
])('%s', (_title, facts, expected) => {
  expect(heard([`${facts}\r\n${TEXT}`])).toEqual([{ ...expected, text: TEXT }])
})

it('passes on no message of another dialog, and none that was not sent', () => {
  const sent = `u1|response|m1|OK|application|60|udp|192.0.2.1|5070|10:00:00.0|t1|Msg sent:|\r\n${TEXT}`
  expect(heard([sent], 'one@three')).toEqual([])
  expect(heard([`u1|response|m1|NOK|no\r\n${TEXT}`, 'u1|response|m1|OK'])).toEqual([])
})

it('passes on nothing after the end', () => {
  const tap = new MessageTap()
  const messages: WireMessage[] = []
  const end = tap.watch('one@two', (message) => messages.push(message))
  end()
  tap.onMessage(`u1|sip|network|60|udp|192.0.2.1|5070|10:00:00.0|t1|d1|\r\n${TEXT}`)
  expect(messages).toEqual([])
})
