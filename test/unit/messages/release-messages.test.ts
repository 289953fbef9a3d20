import { expect, it } from 'vitest'
import { releaseMessages } from '../../../src/messages/sending/release-messages.js'
import { messagesFixture, START } from '../../support/messages/messages-fixture.js'
import { RecordingOutbox } from '../../support/voice/recording-outbox.js'

const HOUR_MS = 3_600_000

it('sends each scheduled message when two servers look for them at the same moment', async () => {
  await using t = await messagesFixture()
  const sids: string[] = []
  for (let index = 0; index < 5; index += 1) {
    const { sid } = await t.send({ to: `+1303555014${index}`, sendAt: START + HOUR_MS })
    sids.push(sid)
  }
  t.turnTo(START + HOUR_MS)
  const look = () =>
    releaseMessages(
      {
        ...{ db: t.db, clock: t.clock, ledger: t.ledger, callbacks: new RecordingOutbox(t.db) },
        queue: { commit: (work) => t.db.write((tx) => work(tx, () => Promise.resolve())) },
      },
      new AbortController().signal,
    )
  await Promise.all([look(), look()])
  const statuses = await Promise.all(sids.map((sid) => t.status(sid)))
  // The bench's own server may look as well, and has the carrier send what it finds.
  expect(statuses.map((status) => (status === 'sent' ? 'sending' : status))).toEqual(
    sids.map(() => 'sending'),
  )
})
