import { describe, expect, it } from 'vitest'
import { accountApiFixture, type Body } from '../../support/account/account-api-fixture.js'
import { letterForm, PDF, PNG, SUBSCRIBER } from '../../support/porting/port-samples.js'

const NUMBER = '2025550143'

/** An account with a port that waits for its letter. */
async function setUp() {
  const t = await accountApiFixture()
  await t.fund(100)
  await t.rest('GET', `/ports/availability/${NUMBER}`)
  const made = await t.rest('POST', '/ports', { did: [NUMBER], ...SUBSCRIBER })
  const data = made.body['data'] as Body
  const pid = String(data['pid'])
  const pathOf = (url: unknown) => new URL(String(url)).pathname
  return {
    ...t,
    pid,
    page: pathOf(data['loaUrl']),
    portPage: pathOf(data['portUrl']),
    upload: (form: FormData, key = t.account.secret) =>
      t.app.request(`/v2.2/ports/${pid}/loa`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: form,
      }),
    detail: async () =>
      ((await t.rest('GET', `/ports/${pid}`)).body['data'] as Body)['port'] as Body,
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  }
}

const bytesOf = async (t: Awaited<ReturnType<typeof setUp>>, id: string) =>
  (await t.porting.ports.readLetter({ pid: t.pid }, id))?.content

describe('the letter of authorisation', () => {
  it('is kept as it was sent, and the port is ready for its review', async () => {
    await using t = await setUp()
    const answer = await t.upload(letterForm())
    expect(answer.status).toBe(201)
    const { data } = (await answer.json()) as { data: { letter: Body; port: Body } }
    expect(data.letter).toMatchObject({
      fileName: 'letter.pdf',
      mimeType: 'application/pdf',
      bytes: PDF.length,
    })
    expect(data.port['message']).toContain('the review follows')
    expect(await bytesOf(t, String(data.letter['id']))).toEqual(PDF)
    expect((await t.detail())['letters']).toEqual([data.letter])
  })

  it('may come again, and changes nothing then', async () => {
    await using t = await setUp()
    await t.upload(letterForm())
    const before = (await t.detail())['history']
    expect((await t.upload(letterForm(PNG, 'page 2.png'))).status).toBe(201)
    const after = await t.detail()
    expect([(after['letters'] as Body[]).length, after['history']]).toEqual([2, before])
  })

  it.each<[string, FormData, number]>([
    ['a program', letterForm(Buffer.from('MZ\x90'), 'letter.pdf'), 400],
    ['a page', letterForm(Buffer.from('<p>'), 'letter.html'), 400],
    ['an empty file', letterForm(Buffer.alloc(0)), 400],
    ['no file', new FormData(), 400],
    ['a file that is too big', letterForm(Buffer.alloc(10 * 1024 * 1024 + 1, PDF)), 413],
  ])('is not %s: nothing is kept', async (_title, form, status) => {
    await using t = await setUp()
    const answer = await t.upload(form)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ status: 'error', error: { code: status } })
    expect(await t.detail()).toMatchObject({ letters: [], status: 'Submitted' })
  })

  it('is not for the port of another account', async () => {
    await using t = await setUp()
    const other = await t.another('Other')
    expect((await t.upload(letterForm(), other.secret)).status).toBe(404)
    expect((await t.upload(letterForm(), '0'.repeat(32))).status).toBe(401)
  })

  it('is not taken by a port that is over', async () => {
    await using t = await setUp()
    await t.rest('POST', `/ports/${t.pid}/cancel`)
    expect((await t.upload(letterForm())).status).toBe(409)
  })
})

describe('the page behind the link in a mail', () => {
  it('shows what to sign, and takes the file', async () => {
    await using t = await setUp()
    const [mail] = await t.mailed()
    expect(mail?.text).toContain(t.page)
    const shown = await t.app.request(t.page)
    expect(shown.status).toBe(200)
    const text = await shown.text()
    for (const part of ['Jane Doe', 'Acme Inc', '1600 Pennsylvania AVE', NUMBER, '4711'])
      expect(text).toContain(part)
    const sent = await t.app.request(t.page, { method: 'POST', body: letterForm() })
    expect(sent.status).toBe(200)
    expect(await sent.text()).toContain('letter.pdf has come.')
    expect((await t.detail())['letters']).toHaveLength(1)
    const history = (await t.detail())['history'] as Body[]
    expect(history.at(-1)).toMatchObject({ by: 'customer', status: 'Submitted' })
  })

  it('says what is wrong with a file, for a browser', async () => {
    await using t = await setUp()
    const wrong = letterForm(Buffer.from('<p>'), '<b>.html')
    const sent = await t.app.request(t.page, { method: 'POST', body: wrong })
    expect(sent.status).toBe(400)
    expect(sent.headers.get('content-type')).toContain('text/html')
    const text = await sent.text()
    expect(text).toContain('allowed are .pdf')
    expect(text).not.toContain('<b>')
  })

  it('escapes what customers have written', async () => {
    await using t = await setUp()
    await t.rest('PATCH', `/ports/${t.pid}`, { name: '<script>alert(1)</script>' })
    expect(await (await t.app.request(t.page)).text()).not.toContain('<script>alert')
  })

  it('shows the state of the port', async () => {
    await using t = await setUp()
    const text = await (await t.app.request(t.portPage)).text()
    expect(text).toContain(`Port ${t.pid}: Submitted`)
    // The id of the port may have these digits.
    expect(text).not.toMatch(/\b4711\b/)
  })

  it.each([
    'a wrong key',
    'the key of the other page',
    'another pid',
  ])('opens for nobody with %s', async (what) => {
    await using t = await setUp()
    const wrong = {
      'a wrong key': t.page.replace(/[0-9a-f]{32}$/, '0'.repeat(32)),
      'the key of the other page': t.page.replace('/loa/', '/port/'),
      'another pid': t.page.replace(t.pid, 'AAAA0'),
    }[what]
    const answer = await t.app.request(wrong ?? '')
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toContain('text/html')
    const sent = await t.app.request(wrong ?? '', { method: 'POST', body: letterForm() })
    expect(sent.ok).toBe(false)
    expect((await t.detail())['letters']).toEqual([])
  })
})
