import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mediaTypeOf } from '../../../src/messages/media/media-type.js'
import { changeAccountRates } from '../../../src/rating/account-rates.js'
import { MediaWeb, PNG } from '../../support/messages/media-web.js'
import { FROM, messagesFixture, START, TO } from '../../support/messages/messages-fixture.js'
import { waitUntil } from '../../support/time/wait-until.js'

const CAT = 'https://web.test/cat.png'
const DOG = 'https://web.test/dog.png'

type Fixture = Awaited<ReturnType<typeof messagesFixture>>

function webOf(...urls: readonly string[]): MediaWeb {
  const web = new MediaWeb()
  for (const url of urls) web.files.set(url, {})
  return web
}

const fileOf = ({ folder }: Fixture, file: string) => join(folder, 'files', file)

describe('a message with media', () => {
  it('is fetched, stored and given to the carrier with its links, once', async () => {
    await using fixture = await messagesFixture({ web: webOf(CAT, DOG) })
    const sent = await fixture.send({ body: '', mediaUrls: [CAT, DOG], subject: 'Pets' })
    expect(sent).toMatchObject({
      numMedia: 2,
      segments: 1,
      sid: expect.stringMatching(/^MM/) as string,
    })
    await fixture.messages.settle()
    const [submitted] = fixture.carrier.submitted
    expect(submitted).toMatchObject({ segments: [''], subject: 'Pets' })
    expect(submitted?.media).toMatchObject([
      { contentType: 'image/png', bytes: PNG.length },
      { contentType: 'image/png', bytes: PNG.length },
    ])
    for (const { file } of submitted?.media ?? [])
      expect(existsSync(fileOf(fixture, file))).toBe(true)
    expect(await fixture.status(sent.sid)).toBe('sent')
  })

  it('costs the mms rate, whatever the length of its text', async () => {
    await using fixture = await messagesFixture({ web: webOf(CAT) })
    const { account, db } = fixture
    const rates = { sms: 7_500, mms: 20_000 }
    await db.write((tx) => changeAccountRates(tx, account.sid, rates, START))
    await fixture.pay(1_000)
    const { sid } = await fixture.send({ body: 'a'.repeat(400), mediaUrls: [CAT] })
    await fixture.messages.settle()
    expect(await fixture.messages.fetch(account.sid, sid)).toMatchObject({ price: 200 })
    expect(fixture.carrier.bodies).toEqual(['a'.repeat(400)])
  })

  it('waits for a server that does not answer, and is given up after three attempts', async () => {
    const web = webOf()
    await using fixture = await messagesFixture({ web })
    const lost = await fixture.send({ mediaUrls: [CAT] })
    await fixture.messages.settle()
    expect(await fixture.status(lost.sid)).toBe('sending')
    for (const seconds of [10, 20, 30]) {
      fixture.turnTo(START + seconds * 1_000)
      await fixture.messages.settle()
    }
    const message = await fixture.messages.fetch(fixture.account.sid, lost.sid)
    expect(message).toMatchObject({ status: 'failed', errorCode: 11202, price: undefined })
    expect(web.asked).toHaveLength(3)
    expect(fixture.carrier.submitted).toEqual([])
  })

  it.each([
    [11200, { status: 404 }],
    [12300, { type: 'text/html', body: Buffer.from('<html></html>') }],
    [12300, { type: 'image/png', body: Buffer.from('no png at all') }],
    [30019, { body: Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]) }],
  ])('fails with %i for a file that no message may have', async (errorCode, file) => {
    const web = webOf()
    web.files.set(CAT, file)
    await using fixture = await messagesFixture({ web })
    const { sid } = await fixture.send({ mediaUrls: [CAT] })
    await fixture.messages.settle()
    const message = await fixture.messages.fetch(fixture.account.sid, sid)
    expect(message).toMatchObject({ status: 'failed', errorCode })
    expect(fixture.carrier.submitted).toEqual([])
  })

  it('counts all its media together', async () => {
    const web = webOf()
    const big = { body: Buffer.concat([PNG, Buffer.alloc(3 * 1024 * 1024)]) }
    web.files.set(CAT, big).set(DOG, big)
    await using fixture = await messagesFixture({ web })
    const { sid } = await fixture.send({ mediaUrls: [CAT, DOG] })
    await fixture.messages.settle()
    const message = await fixture.messages.fetch(fixture.account.sid, sid)
    expect(message).toMatchObject({ status: 'failed', errorCode: 30019 })
  })

  it.each<[number, readonly string[]]>([
    [21620, ['ftp://web.test/a']],
    [21620, ['nonsense']],
    [21620, [`https://web.test/${'a'.repeat(4_000)}`]],
    [21623, Array.from({ length: 11 }, () => CAT)],
  ])('is refused with %i for %j', async (number, mediaUrls) => {
    await using fixture = await messagesFixture()
    await expect(fixture.send({ mediaUrls })).rejects.toMatchObject({ number })
  })

  it('is refused from a toll-free number that sends texts alone (21606)', async () => {
    await using fixture = await messagesFixture()
    await fixture.hold('+18005550111', true)
    const wanted = { from: '+18005550111', mediaUrls: [CAT] }
    await expect(fixture.send(wanted)).rejects.toMatchObject({ number: 21606 })
  })

  it('goes to the carrier that takes media, unless its number has another route', async () => {
    await using fixture = await messagesFixture({ web: webOf(CAT) })
    fixture.carrier.takesMedia = false
    await fixture.send({ mediaUrls: [CAT] })
    await fixture.messages.settle()
    expect(fixture.carrier.submitted).toEqual([])
    expect(fixture.other.submitted).toHaveLength(1)
    const { account, messages } = fixture
    await messages.changeMessaging(account.sid, FROM, { routeOut: fixture.carrier.name })
    await expect(fixture.send({ mediaUrls: [CAT] })).rejects.toMatchObject({ number: 30011 })
  })

  it('is refused where no carrier takes media (30011)', async () => {
    await using fixture = await messagesFixture()
    fixture.carrier.takesMedia = false
    fixture.other.takesMedia = false
    await expect(fixture.send({ mediaUrls: [CAT] })).rejects.toMatchObject({ number: 30011 })
  })
})

describe('the files of media', () => {
  it.each([
    [
      'redacted',
      (fixture: Fixture, sid: string) => fixture.messages.redact(fixture.account.sid, sid),
    ],
    [
      'deleted',
      (fixture: Fixture, sid: string) => fixture.messages.remove(fixture.account.sid, sid),
    ],
  ])('go with a message that is %s', async (_, change) => {
    await using fixture = await messagesFixture({ web: webOf(CAT) })
    const { sid } = await fixture.send({ mediaUrls: [CAT] })
    await fixture.messages.settle()
    const file = fixture.carrier.submitted[0]?.media[0]?.file ?? ''
    expect(existsSync(fileOf(fixture, file))).toBe(true)
    await change(fixture, sid)
    await fixture.messages.settle()
    expect(existsSync(fileOf(fixture, file))).toBe(false)
  })

  it('can be deleted one by one, and are then not counted any more', async () => {
    await using fixture = await messagesFixture({ web: webOf(CAT, DOG) })
    const { account, messages } = fixture
    const { sid } = await fixture.send({ mediaUrls: [CAT, DOG] })
    await messages.settle()
    const [first, second] = await messages.mediaOf(account.sid, sid)
    await messages.removeMedia(account.sid, sid, first?.sid ?? '')
    await messages.settle()
    expect(await messages.mediaOf(account.sid, sid)).toEqual([second])
    expect(await messages.fetch(account.sid, sid)).toMatchObject({ numMedia: 1 })
    await expect(messages.fetchMedia(account.sid, sid, first?.sid ?? '')).rejects.toMatchObject({
      code: 'message-media-not-found',
    })
    expect(existsSync(fileOf(fixture, first?.file ?? ''))).toBe(false)
    expect(existsSync(fileOf(fixture, second?.file ?? ''))).toBe(true)
  })

  it('are shared with a message to another number here, until both are gone', async () => {
    await using fixture = await messagesFixture({ web: webOf(CAT), simulated: true })
    const { account, messages } = fixture
    await fixture.hold(TO)
    const sent = await fixture.send({ mediaUrls: [CAT], subject: 'Cats' })
    await messages.settle()
    fixture.turnTo(START + 1_000)
    const page = { limit: 10, offset: 0 }
    const arrived = async () => {
      const { items } = await messages.list(account.sid, { to: TO }, page)
      return items.find(({ direction }) => direction === 'inbound')
    }
    await waitUntil('the message', async () => (await arrived()) !== undefined)
    const received = await arrived()
    const isMms = expect.stringMatching(/^MM/) as string
    expect(received).toMatchObject({ numMedia: 1, sid: isMms, subject: 'Cats' })
    const [media] = await messages.mediaOf(account.sid, received?.sid ?? '')
    await messages.remove(account.sid, sent.sid)
    await messages.settle()
    expect(existsSync(fileOf(fixture, media?.file ?? ''))).toBe(true)
    await messages.remove(account.sid, received?.sid ?? '')
    await messages.settle()
    expect(existsSync(fileOf(fixture, media?.file ?? ''))).toBe(false)
  })

  it('have links that end with their time, and with the media', async () => {
    await using fixture = await messagesFixture({ web: webOf(CAT) })
    const { account, messages } = fixture
    const { sid } = await fixture.send({ mediaUrls: [CAT] })
    await messages.settle()
    const [media] = await messages.mediaOf(account.sid, sid)
    const url = fixture.mediaLinks.urlOf(media?.sid ?? '')
    const [mediaSid = '', proof = ''] = url.split('/').reverse()
    expect(await messages.followLink(proof, mediaSid)).toMatch(/^http:\/\/trunkline\.test\/files\//)
    expect(await messages.followLink(`${proof}x`, mediaSid)).toBeUndefined()
    expect(await messages.followLink(proof, `ME${'0'.repeat(32)}`)).toBeUndefined()
    fixture.turnTo(START + 91 * 86_400_000)
    expect(await messages.followLink(proof, mediaSid)).toBeUndefined()
  })
})

describe('a message with media that comes in', () => {
  const inbound = (id: string, ...urls: readonly string[]) => ({
    carrier: 'scripted',
    id,
    from: TO,
    to: FROM,
    body: 'Look',
    media: urls.map((url) => ({ type: 'url' as const, url })),
  })

  it('is stored with its media, without those that cannot be had', async () => {
    await using fixture = await messagesFixture({ web: webOf(CAT) })
    const { account, messages } = fixture
    const gone = 'https://web.test/gone.png'
    fixture.web.files.set(gone, { status: 410 })
    await messages.take(inbound('a', gone, CAT))
    await messages.take(inbound('a', gone, CAT))
    await messages.settle()
    const { items } = await messages.list(account.sid, {}, { limit: 10, offset: 0 })
    expect(items).toMatchObject([{ numMedia: 1, status: 'received', body: 'Look' }])
    expect(await messages.mediaOf(account.sid, items[0]?.sid ?? '')).toHaveLength(1)
  })
})

it.each<[string, string, string | undefined]>([
  ['image/png', '89504e470d0a1a0a', 'image/png'],
  ['IMAGE/PNG; a=b', '89504e470d0a1a0a', 'image/png'],
  ['image/jpeg', '89504e470d0a1a0a', undefined],
  ['', '89504e470d0a1a0a', 'image/png'],
  ['application/octet-stream', 'ffd8ffe000104a46', 'image/jpeg'],
  ['', '3c68746d6c3e', undefined],
  ['text/html', '3c68746d6c3e', undefined],
  ['text/vcard', '424547494e3a56434152440a', 'text/vcard'],
  ['video/mp4', '000000206674797069736f6d', 'video/mp4'],
  ['audio/amr', '2321414d520a', 'audio/amr'],
  ['image/png', '', undefined],
])('takes a file of %j that begins with %s for %s', (type, hex, expected) => {
  expect(mediaTypeOf(type, Buffer.from(hex, 'hex'))).toBe(expected)
})
