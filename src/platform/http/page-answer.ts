import { createHash } from 'node:crypto'

interface Page {
  readonly title: string
  readonly style: string
  readonly body: string
  readonly script?: string
  /** 200 by default. */
  readonly status?: number
  /** True for a page with a form that is sent to this server. */
  readonly hasForm?: boolean
}

/**
 * Answers with a page for a browser. It may run its own script and style and read this server, and
 * nothing else (Content Security Policy level 3).
 */
export function pageAnswer(given: Page): Response {
  const { title, style, body, script = '', status = 200, hasForm = false } = given
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${digest(script)}'`,
    `style-src 'sha256-${digest(style)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ].join('; ')
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${style}</style></head><body>${body}${script === '' ? '' : `<script>${script}</script>`}</body></html>
`
  return new Response(page, {
    status,
    headers: {
      'content-type': 'text/html; charset=UTF-8',
      'content-security-policy': policy,
      // The path of a page may be a secret, and a form's page is about this moment.
      'referrer-policy': 'no-referrer',
      ...(hasForm ? { 'cache-control': 'no-store' } : {}),
    },
  })
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
