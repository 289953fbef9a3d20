// Creates and sends the messages of the kill test through the simulated carrier, at the rate of their campaign.
// It resumes the work of a killed worker, and exits when all its messages are delivered. It prints a line per
// created message and per message that the carrier accepted.
import { createLedger } from '../../../dist/ledger/ledger.js'
import { createMessages } from '../../../dist/messages/messages.js'
import { createSimulatedCarrier } from '../../../dist/messages/simulator/simulated-carrier.js'
import { openDatabase } from '../../../dist/platform/database/open-database.js'
import { createLogger } from '../../../dist/platform/log.js'
import { Outbox } from '../../../dist/platform/outbox/outbox.js'
import { MIGRATIONS } from '../../../dist/wiring/migrations.js'
import { messageOf, PAIRS } from './message-plan.mjs'

const POLL_MS = 100
const [place = '', node = '', sid = '', count = '0', nodes = '1', perMinute = '60'] =
  process.argv.slice(2)
const own = Number(node)

const db = await openDatabase(place, MIGRATIONS, `node-${node}`)
const clock = { now: () => Date.now(), monotonic: () => performance.now() }
const log = createLogger('error')
const ledger = createLedger({
  onLow: () => Promise.resolve(),
  thresholdOf: () => Promise.resolve(undefined),
})
const outbox = new Outbox({ db, clock, random: Math.random, log, node: `node-${node}` })
const carrier = createSimulatedCarrier({ db, clock, log, receiptDelayMs: 20 })
const none = () => Promise.resolve()
const messages = createMessages({
  db,
  clock,
  log,
  ledger,
  outbox,
  callbacks: { commit: (work) => db.write((tx) => work(tx, none)) },
  carrier: {
    ...carrier,
    submit: async (message, signal) => {
      const outcome = await carrier.submit(message, signal)
      process.stdout.write('taken\n')
      return outcome
    },
  },
  destinationsOf: () =>
    Promise.resolve({
      regions: [],
      blockedPrefixes: [],
      allowed: [],
      denied: [],
      abroad: 'open',
    }),
  maySend: () =>
    Promise.resolve({
      isAllowed: true,
      campaignId: 'C000001',
      brandId: 'B000001',
      dailyCapKey: 'brand:B000001',
      lastEvent: undefined,
      texts: { optoutKeywords: [], helpKeywords: [], optinKeywords: [] },
      operators: [
        {
          mnoId: 10017,
          name: 'AT&T',
          isAllowed: true,
          status: 'REGISTERED',
          smsPerMinute: Number(perMinute),
          mmsPerMinute: null,
          scope: 'CAMPAIGN',
          brandDailyCap: null,
        },
      ],
    }),
  applications: {
    webhookOf: () => Promise.resolve(undefined),
    repliesOf: () => [],
    countryOf: () => 'US',
    signingOf: () => Promise.resolve(undefined),
    webhooks: { fetch: () => Promise.reject(new Error('nothing is fetched here')) },
    mailer: { send: () => Promise.reject(new Error('nothing is mailed here')) },
  },
  // No message has media.
  mediaStore: undefined,
  mediaLinks: undefined,
})
outbox.start()
messages.start()
carrier.start(messages)

/** Creates the messages of one pair, in order. */
async function client(pair) {
  for (let index = pair; index < Number(count); index += PAIRS) {
    const { from, to, body } = messageOf(index)
    const wanted = { from, to, body, direction: 'outbound-api', idempotencyKey: `m${index}` }
    await messages.create({ sid }, wanted)
    process.stdout.write('made\n')
  }
}

async function undelivered() {
  const row = await db.read
    .selectFrom('messages')
    .select((select) => select.fn.countAll().as('count'))
    .where('status', '<>', 'delivered')
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

const pairs = Array.from({ length: PAIRS }, (_, pair) => pair)
await Promise.all(pairs.filter((pair) => pair % Number(nodes) === own).map(client))
while ((await undelivered()) > 0) await new Promise((done) => setTimeout(done, POLL_MS))
await carrier[Symbol.asyncDispose]()
await messages[Symbol.asyncDispose]()
await outbox[Symbol.asyncDispose]()
await db[Symbol.asyncDispose]()
