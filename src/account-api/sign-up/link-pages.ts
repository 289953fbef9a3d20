import { html } from 'hono/html'
import { pageAnswer } from '../../platform/http/page-answer.js'

const STYLE = 'body{font-family:sans-serif;max-width:32em;margin:4em auto;padding:0 1em}'

type Html = ReturnType<typeof html>

/** Renders a page that a mail links to. */
export async function linkPage(title: string, body: Html, status = 200): Promise<Response> {
  return pageAnswer({ title, style: STYLE, body: String(await body), status, hasForm: true })
}

/** The page for a link that is used, expired or unknown. */
export function deadLinkPage(): Promise<Response> {
  return linkPage('Link', html`<p>This link does not work any more.</p>`, 404)
}

export function verificationPage(username: string): Promise<Response> {
  return linkPage(
    'Confirm your address',
    html`<h1>Confirm your address</h1>
      <p>The username of the account is <b>${username}</b>.</p>
      <form method="post"><button>Confirm</button></form>`,
  )
}

export function verifiedPage(username: string): Promise<Response> {
  return linkPage(
    'Address confirmed',
    html`<h1>Thank you</h1>
      <p>The account <b>${username}</b> can be used now.</p>`,
  )
}

export function passwordPage(username: string, problem = ''): Promise<Response> {
  return linkPage(
    'New password',
    html`<h1>New password</h1>
      <p>The username of the account is <b>${username}</b>.</p>
      <p role="alert">${problem}</p>
      <form method="post">
        <p>
          <label>
            New password
            <input
              name="password"
              type="password"
              autocomplete="new-password"
              minlength="8"
              maxlength="128"
              required
            />
          </label>
        </p>
        <button>Set the password</button>
      </form>`,
    problem === '' ? 200 : 400,
  )
}

export function passwordSetPage(username: string): Promise<Response> {
  return linkPage(
    'Password set',
    html`<h1>The password is set</h1>
      <p>The account <b>${username}</b> has a new API key too: get it with the new password.</p>`,
  )
}
