import { describe } from 'vitest'
import { describeMessageKill } from '../support/messages/describe-message-kill.js'

describe('at the rate of the highest class [messages-kill]', () => {
  describeMessageKill({ messages: 10_000, perMinute: 4_500, timeoutMs: 900_000 })
})
