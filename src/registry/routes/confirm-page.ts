import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { html } from 'hono/html'
import type { ContactConfirmation } from '../services/brands/confirm-contact.js'
import { readBytes } from './read-body.js'

const PATH = '/v2/csp/confirm/:token{[0-9a-f]{48}}'
const MAX_FORM_BYTES = 4_096
const text = z.string().trim().min(1).max(100)
const form = z.object({ pin: z.string().trim(), firstName: text, lastName: text, title: text })

/** The page that the mail of Authentication+ leads to; the token in its path is its key. */
export function mountConfirmPage(app: OpenAPIHono, confirmation: ContactConfirmation): void {
  app.get(PATH, async (c) => {
    const name = await confirmation.open(c.req.param('token'))
    return name === undefined ? c.html(deadLink(), 404) : c.html(page(name, ''))
  })
  app.post(PATH, async (c) => {
    const token = c.req.param('token')
    const tooMuch = () => new Error('the form is too large')
    const body = await readBytes(c.req.raw, MAX_FORM_BYTES, tooMuch)
    const fields = form.safeParse(Object.fromEntries(new URLSearchParams(body.toString('utf8'))))
    const name = await confirmation.open(token)
    if (name === undefined) return c.html(deadLink(), 404)
    if (!fields.success) return c.html(page(name, 'Please fill in every field.'), 400)
    const verdict = await confirmation.answer(token, fields.data)
    if (verdict === 'confirmed') return c.html(message('Thank you. You have confirmed.'))
    if (verdict === 'wrong-pin') return c.html(page(name, 'The PIN is wrong.'), 400)
    return c.html(deadLink(), 404)
  })
}

function message(sentence: string) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="referrer" content="no-referrer" />
        <title>Business contact</title>
      </head>
      <body>
        <p>${sentence}</p>
      </body>
    </html>`
}

function deadLink() {
  return message('This link is not valid any more.')
}

function page(brandName: string, problem: string) {
  const field = (name: string, label: string) =>
    html`<p><label>${label} <input name="${name}" required maxlength="100" /></label></p>`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="referrer" content="no-referrer" />
        <title>Business contact of ${brandName}</title>
      </head>
      <body>
        <h1>Business contact of ${brandName}</h1>
        <p role="alert">${problem}</p>
        <form method="post">
          ${field('pin', 'PIN from the e-mail')} ${field('firstName', 'First name')}
          ${field('lastName', 'Last name')} ${field('title', 'Title')}
          <button>Confirm</button>
        </form>
      </body>
    </html>`
}
