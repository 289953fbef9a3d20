import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { MailError, type SentMail } from '../../../src/mail/mail.js'
import type { MessageApplications } from '../../../src/messages/messages.js'
import type { RouteIn } from '../../../src/messages/route-in.js'
import type { OutboundRequest } from '../../../src/platform/http/outbound-request.js'
import { FROM, messagesFixture, START, TO } from '../../support/messages/messages-fixture.js'
import { createSilentApplications } from '../../support/messages/silent-applications.js'

const HOOK: RouteIn = { type: 'webhook', resource: 'https://app.test/in' }
const MAIL: RouteIn = { type: 'email', resource: 'owner@acme.example' }
const CAT = 'https://web.test/cat.png'

const message = (id: string, body: string) => ({
  carrier: 'scripted',
  id,
  from: TO,
  to: FROM,
  body,
})

/** Receivers of every kind, which answer as the test says and keep what they got. */
function receivers() {
  const posts: OutboundRequest[] = []
  const mails: SentMail[] = []
  const texts: (readonly [string | undefined, string])[] = []
  const state = { status: 200, isMailAway: false, phone: 'taken' as 'taken' | 'away' }
  const applications: MessageApplications = {
    ...createSilentApplications(),
    outbound: {
      request: (request) => {
        posts.push(request)
        return Promise.resolve({
          status: state.status,
          headers: new Headers(),
          body: Buffer.from('<Response><Message>no</Message></Response>'),
          url: request.url,
          timings: { connectMs: 0, headersMs: 0, totalMs: 0 },
        })
      },
    },
    mailer: {
      send: (mail) => {
        if (state.isMailAway) return Promise.reject(new MailError('away', { isRetryable: true }))
        mails.push(mail)
        return Promise.resolve()
      },
    },
    giveToSoftphone: (_message, text, address) => {
      texts.push([address, text])
      return Promise.resolve(state.phone)
    },
  }
  return { applications, mails, posts, state, texts }
}

async function setUp(routeIn: RouteIn | null) {
  const got = receivers()
  const fixture = await messagesFixture({ applications: got.applications })
  const route = async (wanted: RouteIn | null) => {
    const { messages, account } = fixture
    expect(await messages.changeMessaging(account.sid, FROM, { routeIn: wanted })).toBeUndefined()
  }
  await route(routeIn)
  const take = async (
    id: string,
    body: string,
    media?: readonly { type: 'url'; url: string }[],
  ) => {
    await fixture.messages.take({ ...message(id, body), ...(media === undefined ? {} : { media }) })
    await fixture.messages.settle()
  }
  return Object.assign(fixture, { ...got, route, take })
}

const textOf = (post: OutboundRequest | undefined) =>
  typeof post?.body === 'string' ? post.body : ''
const bodyOf = (post: OutboundRequest | undefined) =>
  JSON.parse(textOf(post)) as Readonly<Record<string, unknown>>

describe('a number that is routed to a URL', () => {
  it('posts each message, signed with the key of the account', async () => {
    await using t = await setUp(HOOK)
    await t.take('a', 'Hello')
    const [post] = t.posts
    expect(post).toMatchObject({ method: 'POST', url: 'https://app.test/in' })
    const headers = post?.headers ?? {}
    const time = String(START / 1_000)
    const signature = createHmac('sha256', 'secret')
      .update(`${time}.${textOf(post)}`)
      .digest('hex')
    expect(headers['X-Trunkline-Signature']).toBe(`t=${time},v1=${signature}`)
    const event = bodyOf(post)
    expect(event).toEqual({
      id: headers['X-Trunkline-Event-Id'],
      type: 'sms',
      from: TO,
      to: FROM,
      text: 'Hello',
      subject: '',
      media: [],
      optOutType: '',
      receivedAt: new Date(START).toISOString(),
    })
    // What the URL answers is no document.
    await t.messages.settle()
    expect(t.carrier.bodies).toEqual([])
  })

  it('posts the media as links', async () => {
    await using t = await setUp(HOOK)
    t.web.files.set(CAT, {})
    await t.take('a', '', [{ type: 'url', url: CAT }])
    const event = bodyOf(t.posts[0])
    expect(event).toMatchObject({ type: 'mms', media: [{ contentType: 'image/png' }] })
    const [{ url = '' } = {}] = event['media'] as readonly { readonly url?: string }[]
    const [sid = '', proof = ''] = url.split('/').reverse()
    expect(await t.messages.followLink(proof, sid)).toContain('/files/')
  })

  it('gets a message again after a failure, before the next one of its pair', async () => {
    await using t = await setUp(HOOK)
    t.state.status = 500
    await t.take('a', 'one')
    await t.take('b', 'two')
    t.state.status = 204
    t.turnTo(START + 2_000)
    await t.messages.settle()
    expect(t.posts.map((post) => bodyOf(post)['text'])).toEqual(['one', 'one', 'two'])
    const attempts = t.posts.map((post) => post.headers?.['X-Trunkline-Attempt'])
    expect(attempts).toEqual(['1', '2', '1'])
  })

  it('is told of STOP, which holds all the same', async () => {
    await using t = await setUp(HOOK)
    await t.take('a', 'Stop')
    expect(bodyOf(t.posts[0])).toMatchObject({ text: 'Stop', optOutType: 'STOP' })
    await t.messages.settle()
    expect(t.carrier.bodies).toEqual(['You are out.'])
  })
})

describe('a number that is routed to an address of mail', () => {
  it('mails each message with its media, in order, again while the server is away', async () => {
    await using t = await setUp(MAIL)
    t.web.files.set(CAT, {})
    t.state.isMailAway = true
    await t.take('a', 'one', [{ type: 'url', url: CAT }])
    await t.take('b', 'two')
    expect(t.mails).toEqual([])
    t.state.isMailAway = false
    t.turnTo(START + 4_000)
    await t.messages.settle()
    expect(t.mails).toMatchObject([
      { to: 'owner@acme.example', subject: `Message from ${TO} to ${FROM}` },
      { to: 'owner@acme.example', text: 'two\n' },
    ])
    expect(t.mails[0]?.text).toMatch(/^one\nhttp\S+\n$/)
    expect(t.posts).toEqual([])
  })

  it('keeps the header of a mail to one line', async () => {
    await using t = await setUp(MAIL)
    await t.messages.take({ ...message('a', 'x'), subject: 'a\r\nBcc: all@acme.example' })
    await t.messages.settle()
    expect(t.mails[0]?.subject).toBe(`Message from ${TO} to ${FROM}: a Bcc: all@acme.example`)
  })
})

describe('a number that is routed to a softphone', () => {
  it('gives it each message, again until it takes one', async () => {
    await using t = await setUp({ type: 'sip', resource: 'sip:alice@acme.example' })
    t.state.phone = 'away'
    await t.take('a', 'one')
    t.state.phone = 'taken'
    t.turnTo(START + 2_000)
    await t.messages.settle()
    const given = ['sip:alice@acme.example', 'one']
    expect(t.texts).toEqual([given, given])
  })
})

it('a changed route holds for the next message, not for those that wait', async () => {
  await using t = await setUp(HOOK)
  t.state.status = 500
  await t.take('a', 'one')
  await t.route(MAIL)
  await t.take('b', 'two')
  await t.route(null)
  await t.take('c', 'three')
  t.state.status = 200
  t.turnTo(START + 2_000)
  await t.messages.settle()
  expect(t.posts.map((post) => bodyOf(post)['text'])).toEqual(['one', 'one'])
  expect(t.mails.map(({ text }) => text)).toEqual(['two\n'])
  expect(t.texts).toEqual([[undefined, 'three']])
})
