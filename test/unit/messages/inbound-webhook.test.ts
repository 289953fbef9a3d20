import { describe, expect, it } from 'vitest'
import type { MessageApplications } from '../../../src/messages/messages.js'
import type { WebhookRequest } from '../../../src/platform/webhooks/fetch-webhook.js'
import { WebhookError } from '../../../src/platform/webhooks/webhook-error.js'
import { readMessageDocument } from '../../../src/voice/markup/message-document.js'
import { FROM, messagesFixture, START, TO } from '../../support/messages/messages-fixture.js'
import { createSilentApplications } from '../../support/messages/silent-applications.js'

/** An application that answers with markup, and keeps what it was asked. */
function application(answer: (request: WebhookRequest) => string, url = 'http://app.test/sms') {
  const asked: WebhookRequest[] = []
  const applications: MessageApplications = {
    ...createSilentApplications(),
    webhookOf: () =>
      Promise.resolve({
        url,
        method: 'POST',
        fallbackUrl: 'http://app.test/fallback',
        fallbackMethod: 'GET',
        applicationSid: undefined,
      }),
    repliesOf: ({ body }) => readMessageDocument(body.toString()),
    webhooks: {
      fetch: (request) => {
        asked.push(request)
        const body = Buffer.from(answer(request))
        return Promise.resolve({ status: 200, contentType: 'text/xml', body, url: request.url })
      },
    },
  }
  return { asked, applications, bodies: () => asked.map(bodyOf) }
}

const failure = (url: string) =>
  new WebhookError({ code: 11200, message: 'failed', url, httpStatus: 500, isRetryable: true })

const bodyOf = ({ params }: WebhookRequest) => new Map(params).get('Body')
const message = (id: string, body: string) => ({
  carrier: 'scripted',
  id,
  from: TO,
  to: FROM,
  body,
})

describe('a message that comes in', () => {
  it('is told to the application, whose replies are sent once', async () => {
    const app = application(() => '<Response><Message>one</Message><Sms>two</Sms></Response>')
    await using fixture = await messagesFixture({ applications: app.applications })
    await fixture.messages.take(message('a', 'Hello'))
    await fixture.messages.take(message('a', 'Hello'))
    await fixture.messages.settle()
    await fixture.messages.settle()
    expect(app.bodies()).toEqual(['Hello'])
    expect(Object.fromEntries(app.asked[0]?.params ?? [])).toMatchObject({
      From: TO,
      To: FROM,
      NumMedia: '0',
      NumSegments: '1',
      SmsStatus: 'received',
      AccountSid: fixture.account.sid,
    })
    expect(fixture.carrier.bodies).toEqual(['one', 'two'])
  })

  it('of a short code is answered there, where its carrier takes such', async () => {
    const page = '<Response><Message>YES</Message><Sms to="22395">Y</Sms></Response>'
    await using fixture = await messagesFixture(application(() => page))
    fixture.carrier.takesShortCodes = true
    await fixture.messages.take({ ...message('a', 'Reply YES'), from: '72345' })
    await fixture.messages.settle()
    await fixture.messages.settle()
    // Nothing orders messages to different recipients.
    expect(fixture.carrier.submitted.map(({ to, segments }) => [to, ...segments]).sort()).toEqual([
      ['22395', 'Y'],
      ['72345', 'YES'],
    ])
  })

  it('is told with its media, and answered with media', async () => {
    const page =
      '<Response><Message><Body>x</Body><Media> https://web.test/dog.png </Media></Message></Response>'
    const app = application(() => page)
    await using fixture = await messagesFixture({ applications: app.applications })
    const cat = 'https://web.test/cat.png'
    for (const url of [cat, 'https://web.test/dog.png']) fixture.web.files.set(url, {})
    const media = [{ type: 'url' as const, url: cat }]
    await fixture.messages.take({ ...message('a', ''), media })
    await fixture.messages.settle()
    const params = Object.fromEntries(app.asked[0]?.params ?? [])
    expect(params).toMatchObject({ NumMedia: '1', MediaContentType0: 'image/png', Body: '' })
    const [sid = '', proof = ''] = (params['MediaUrl0'] ?? '').split('/').reverse()
    expect(await fixture.messages.followLink(proof, sid)).toContain('/files/')
    await fixture.messages.settle()
    expect(fixture.carrier.submitted).toMatchObject([{ media: [{ contentType: 'image/png' }] }])
  })

  it('is told in order, and to the fallback URL at once when the first fails', async () => {
    const app = application(({ url }) => {
      if (url.endsWith('/sms')) throw failure(url)
      return ''
    }, 'http://user:password@app.test/sms')
    await using fixture = await messagesFixture({ applications: app.applications })
    for (const body of ['one', 'two']) await fixture.messages.take(message(body, body))
    await fixture.messages.settle()
    expect(app.bodies()).toEqual(['one', 'one', 'two', 'two'])
    expect(Object.fromEntries(app.asked[1]?.params ?? [])).toMatchObject({
      ErrorCode: '11200',
      ErrorUrl: 'http://app.test/sms',
    })
  })

  it('is told again after both URLs have failed', async () => {
    let isUp = false
    const app = application(({ url }) => {
      if (!isUp) throw failure(url)
      return '<Response><Message><Body>back</Body></Message></Response>'
    })
    await using fixture = await messagesFixture({ applications: app.applications })
    await fixture.messages.take(message('a', 'Hello'))
    await fixture.messages.settle()
    isUp = true
    fixture.turnTo(START + 2_000)
    await fixture.messages.settle()
    await fixture.messages.settle()
    expect(fixture.carrier.bodies).toEqual(['back'])
  })

  it('is given to a softphone where there is no webhook, again until one takes it', async () => {
    const given: string[] = []
    const outcomes = ['away', 'taken', 'refused', 'none'] as const
    const applications: MessageApplications = {
      ...createSilentApplications(),
      giveToSoftphone: ({ from, to }, text) => {
        given.push(`${from} ${to} ${text}`)
        return Promise.resolve(outcomes[given.length - 1] ?? 'none')
      },
    }
    await using fixture = await messagesFixture({ applications })
    await fixture.messages.take(message('a', 'one'))
    await fixture.messages.take(message('b', 'two'))
    await fixture.messages.settle()
    expect(given).toEqual([`${TO} ${FROM} one`])
    fixture.turnTo(START + 2_000)
    await fixture.messages.settle()
    // What is refused is not given again.
    expect(given.slice(1)).toEqual([`${TO} ${FROM} one`, `${TO} ${FROM} two`])
    fixture.turnTo(START + 600_000)
    await fixture.messages.settle()
    expect(given).toHaveLength(3)
  })

  it('with STOP is told with its kind, and what the application replies is not sent', async () => {
    const app = application(() => '<Response><Message>stay!</Message></Response>')
    await using fixture = await messagesFixture({ applications: app.applications })
    await fixture.messages.take(message('a', 'Stop'))
    await fixture.messages.settle()
    await fixture.messages.settle()
    expect(new Map(app.asked[0]?.params).get('OptOutType')).toBe('STOP')
    expect(fixture.carrier.bodies).toEqual(['You are out.'])
  })

  it('is not answered for ever when another application answers the answers', async () => {
    const app = application(() => '<Response><Message>again</Message></Response>')
    await using fixture = await messagesFixture({ applications: app.applications })
    for (let count = 0; count < 15; count += 1) {
      await fixture.messages.take(message(`m${count}`, 'again'))
      await fixture.messages.settle()
      await fixture.messages.settle()
    }
    expect(fixture.carrier.bodies).toHaveLength(10)
  })
})

it('reads the media of a document, with and without a text', () => {
  const media = '<Media>https://a.test/1</Media><Media>https://a.test/2</Media>'
  const text = `<Response><Message>${media}</Message><Message><Body>x</Body><Media/></Message></Response>`
  expect(readMessageDocument(text)).toMatchObject([
    { body: '', mediaUrls: ['https://a.test/1', 'https://a.test/2'] },
    { body: 'x', mediaUrls: [] },
  ])
})

it.each([
  ['', []],
  ['no markup', []],
  ['<Response/>', []],
  ['<Response><Message> a &amp; b </Message></Response>', ['a & b']],
  ['<Response><Message><Body>x</Body><Media>http://a.test</Media></Message></Response>', ['x']],
  ['<Response><Say>no</Say><Sms>yes</Sms><Message/></Response>', ['yes']],
])('reads the document %j', (text, bodies) => {
  expect(readMessageDocument(text).map(({ body }) => body)).toEqual(bodies)
})
