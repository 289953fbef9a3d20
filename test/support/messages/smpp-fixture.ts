import { readConfig } from '../../../src/config.js'
import type {
  InboundMessage,
  Receipt,
  Submission,
  SubmitOutcome,
} from '../../../src/messages/carrier.js'
import { segmentText } from '../../../src/messages/segments/segment-text.js'
import type { SmppTimes } from '../../../src/messages/smpp/smpp-bind.js'
import { createSmppCarrier } from '../../../src/messages/smpp/smpp-carrier.js'
import { Disposer } from '../../../src/platform/disposer.js'
import { newSid } from '../../../src/platform/ids.js'
import { createLogger } from '../../../src/platform/log.js'
import { tempFolder } from '../process/temp-folder.js'
import { openTestDatabase } from '../process/test-database.js'
import { waitUntil } from '../time/wait-until.js'
import { TestSmsc } from './test-smsc.js'

/** A carrier over a database and a test SMSC. It reconnects without delay. */
export async function smppFixture(
  options: {
    readonly query?: string
    readonly times?: Partial<SmppTimes>
    readonly binds?: number
    /** Another bound SMSC of the same provider. */
    readonly other?: TestSmsc
    /** Certificate of the SMSC, which then uses TLS, and the trusted authority. */
    readonly secure?: { cert: string; key: string; authority: string | undefined }
  } = {},
) {
  const stack = new Disposer()
  const folder = stack.use(tempFolder())
  const db = stack.use(await openTestDatabase(folder.path))
  const smsc = stack.use(await TestSmsc.open(options.secure))
  const { query = '', binds = 1, other, secure } = options
  const scheme = secure === undefined ? 'smpp' : 'smpps'
  const url = `${scheme}://esme:secret@127.0.0.1:${String(smsc.port)}${query}`
  const others = other === undefined ? [] : [`smpp://esme:secret@127.0.0.1:${String(other.port)}`]
  const urls = [...Array.from({ length: binds }, () => url), ...others]
  const { smscs } = readConfig({ SMPP_URLS: urls.join(' ') })
  // Time base of the throttling; only the test advances it.
  let monotonic = 0
  const clock = { now: () => 1_700_000_000_000, monotonic: () => monotonic }
  const log = createLogger('silent')
  const times = { responseMs: 15_000, retryMs: 10, maxRetryMs: 40, ...options.times }
  const received: Receipt[] = []
  const arrived: InboundMessage[] = []
  const fault: { error: Error | undefined } = { error: undefined }
  const listener = {
    receive: (receipt: Receipt) => {
      if (fault.error !== undefined) return Promise.reject(fault.error)
      received.push(receipt)
      return Promise.resolve()
    },
    take: (inbound: InboundMessage) => {
      if (fault.error !== undefined) return Promise.reject(fault.error)
      arrived.push(inbound)
      return Promise.resolve()
    },
  }
  const open = () => {
    const carrier = createSmppCarrier({
      db,
      clock,
      log,
      smscs,
      times,
      authority: secure?.authority,
    })
    carrier.start(listener)
    return stack.use(carrier)
  }
  const carrier = open()
  const { signal } = new AbortController()
  const submit = (message: Submission, by = carrier) => by.submit(message, signal)
  return {
    db,
    smsc,
    carrier,
    /** Opens another process with the same database and SMSC. */
    open,
    submit,
    received,
    arrived,
    fault,
    place: `127.0.0.1:${String(smsc.port)}`,
    turnBy: (ms: number) => {
      monotonic += ms
    },
    /** Retries until the carrier is no longer busy, like the queue. */
    send: async (message: Submission, by = carrier): Promise<SubmitOutcome> => {
      let outcome: SubmitOutcome = { type: 'busy', reason: 'not yet tried' }
      const isSettled = async () => {
        outcome = await submit(message, by)
        return outcome.type !== 'busy'
      }
      await waitUntil(`${message.sid} is settled`, isSettled, undefined, () => outcome)
      return outcome
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

export function submission(body = 'Hello', to = '+13035550142'): Submission {
  return {
    sid: newSid('SM'),
    from: '+12025550111',
    to,
    ...segmentText(body),
    subject: undefined,
    media: [],
  }
}
