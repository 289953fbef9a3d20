import { z } from '@hono/zod-openapi'
import { html } from 'hono/html'
import type { RawAnswer } from '../../../platform/api/operation.js'
import { lastOf } from '../../../platform/api/repeated.js'
import { pageAnswer } from '../../../platform/http/page-answer.js'
import type { ContactConfirmation } from '../../services/brands/confirm-contact.js'
import { operation, type RegistryOperation } from '../dialect/operation.js'

const PATH = '/confirm/{token}'
const TOKEN = /^[0-9a-f]{48}$/
const text = z.string().trim().min(1).max(100)
const form = z.object({ pin: z.string().trim(), firstName: text, lastName: text, title: text })

/** A field of the form. An invalid value shows the page again, not an error array. */
const field = (description: string) =>
  z.preprocess(lastOf, z.string().optional()).openapi({ type: 'string', description })
const fields = z
  .object({
    pin: field('The PIN from the mail.'),
    firstName: field('The first name of the person who confirms.'),
    lastName: field('The last name of the person who confirms.'),
    title: field('The title of the person who confirms.'),
  })
  .openapi('ConfirmContact')
const response: RawAnswer = { mediaTypes: ['text/html'], description: 'A page for a browser.' }
const params = {
  token: z.string().regex(TOKEN).openapi({ description: 'The token from the link in the mail.' }),
}

/** The page behind the link in the Authentication+ mail; the token in its path authorizes access. */
export function confirmPageOperations(confirmation: ContactConfirmation): RegistryOperation[] {
  const open = (token: string) => {
    return TOKEN.test(token) ? confirmation.open(token) : Promise.resolve(undefined)
  }
  const common = { path: PATH, isOpen: true, params, response, idempotency: 'none' } as const
  return [
    operation({
      ...common,
      id: 'showContactConfirmation',
      summary: 'Show the page on which a business contact confirms',
      method: 'get',
      errors: [404],
      run: async ({ params: { token } }) => {
        const name = await open(token)
        return name === undefined ? answer(deadLink(), 404) : answer(page(name, ''), 200)
      },
    }),
    operation({
      ...common,
      id: 'confirmContact',
      summary: 'Confirm as the business contact, by the page',
      method: 'post',
      body: fields,
      formats: ['form'],
      errors: [400, 404],
      run: async ({ params: { token }, body }) => {
        const name = await open(token)
        if (name === undefined) return answer(deadLink(), 404)
        const filled = form.safeParse(body)
        if (!filled.success) return answer(page(name, 'Please fill in every field.'), 400)
        const verdict = await confirmation.answer(token, filled.data)
        if (verdict === 'confirmed') return answer(message('Thank you. You have confirmed.'), 200)
        if (verdict === 'wrong-pin') return answer(page(name, 'The PIN is wrong.'), 400)
        return answer(deadLink(), 404)
      },
    }),
  ]
}

const TITLE = 'Business contact'

async function answer(content: ReturnType<typeof html>, status: number): Promise<Response> {
  return pageAnswer({ title: TITLE, style: '', body: String(await content), status, hasForm: true })
}

function message(sentence: string) {
  return html`<p>${sentence}</p>`
}

function deadLink() {
  return message('This link is not valid any more.')
}

function page(brandName: string, problem: string) {
  const field = (name: string, label: string) =>
    html`<p><label>${label} <input name="${name}" required maxlength="100" /></label></p>`
  return html`<h1>Business contact of ${brandName}</h1>
    <p role="alert">${problem}</p>
    <form method="post">
      ${field('pin', 'PIN from the e-mail')} ${field('firstName', 'First name')}
      ${field('lastName', 'Last name')} ${field('title', 'Title')}
      <button>Confirm</button>
    </form>`
}
