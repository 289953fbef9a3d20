import { describeMessageKill } from '../support/messages/describe-message-kill.js'

describeMessageKill({ messages: 120, perMinute: 12_000, timeoutMs: 60_000 })
