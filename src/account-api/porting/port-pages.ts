/** Pages that the mails of a port link to: its status, and the upload of the letter. */
import { z } from '@hono/zod-openapi'
import { html } from 'hono/html'
import type { Api } from '../../platform/api/api.js'
import { openGate } from '../../platform/api/api.js'
import type { Dialect } from '../../platform/api/dialect.js'
import { type Operation, operationsOf } from '../../platform/api/operation.js'
import { pageAnswer } from '../../platform/http/page-answer.js'
import type { Logger } from '../../platform/log.js'
import type { Upload } from '../../platform/uploads/read-upload.js'
import { STATUS_OF } from '../../porting/port.js'
import { LetterError, PortNotFoundError, PortStateError } from '../../porting/port-errors.js'
import type { PortPage } from '../../porting/port-links.js'
import type { Porting } from '../../porting/porting.js'
import type { PortDetail } from '../../porting/ports.js'
import { restDialect } from '../dialect/rest-dialect.js'
import { isoTime } from '../fields.js'
import { tenDigits } from './port-fields.js'

export const PAGE_BASE = '/a'

const STYLE =
  'body{font-family:sans-serif;max-width:40em;margin:4em auto;padding:0 1em}td,th{text-align:left;padding:.2em 1em .2em 0;vertical-align:top}'

const page = { mediaTypes: ['text/html'], description: 'A page for a browser.' }
const params = {
  pid: z.string().openapi({ description: 'The pid of the port.' }),
  key: z.string().openapi({ description: 'The key from the link in the mail.' }),
}
const operation = operationsOf<unknown, Upload>()

type PageDeps = Pick<Porting, 'ports' | 'links' | 'readUpload'>

/** The API of the pages; the key in a path authorizes its reader. */
export function portPageApi(porting: PageDeps, log: Logger): Api<unknown> {
  return {
    base: PAGE_BASE,
    tag: 'Pages of ports',
    dialect: pageDialect,
    gate: openGate,
    operations: portPageOperations(porting),
    params: {},
    errors: [404, 503],
    ignoresLastSlash: true,
    hidesPaths: false,
    log,
    readUpload: porting.readUpload,
  }
}

/** Errors are pages too: a person reads them in a browser. */
const pageDialect: Dialect = {
  ...restDialect,
  problem: z.string(),
  problemType: 'text/html',
  encode: (body) => ({
    mediaType: 'text/html; charset=UTF-8',
    text: `<!doctype html><meta charset="utf-8"><title>Port</title><p>${escaped(sentenceOf(body))}</p>`,
  }),
}

function sentenceOf(body: object): string {
  const { error } = body as { readonly error?: { readonly message?: string } } // of the REST style
  return error?.message ?? 'This did not work.'
}

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

export function portPageOperations(porting: PageDeps): Operation<unknown>[] {
  const { ports } = porting
  const opened = async (
    which: PortPage,
    { pid, key }: { readonly pid: string; readonly key: string },
  ): Promise<PortDetail> => {
    if (!porting.links.isKey(which, pid, key)) throw new PortNotFoundError('This link is not valid')
    return await ports.detail({ pid })
  }
  const letterPath = { path: '/loa/{pid}/{key}', isOpen: true, params, response: page } as const
  return [
    operation({
      id: 'showPortPage',
      summary: 'Show the page of a port',
      method: 'get',
      path: '/port/{pid}/{key}',
      isOpen: true,
      params,
      response: page,
      run: async ({ params: given }) => portPage(await opened('port', given)),
    }),
    operation({
      ...letterPath,
      id: 'showLetterPage',
      summary: 'Show the page on which a letter of authorisation is uploaded',
      method: 'get',
      run: async ({ params: given }) => letterPage(await opened('loa', given), ''),
    }),
    operation({
      ...letterPath,
      id: 'uploadLetterByPage',
      summary: 'Upload a letter of authorisation, by the page',
      method: 'post',
      body: 'multipart',
      errors: [400, 413, 503],
      idempotency: 'none',
      beforeBody: ({ params: given }) => opened('loa', given),
      run: async ({ params: given, body }) => {
        const detail = await opened('loa', given)
        try {
          // The reader of the mail acts on behalf of the account.
          const { accountSid } = detail.port
          const { letter } = await ports.addLetter({ pid: given.pid, accountSid }, body)
          return await letterPage(await opened('loa', given), `${letter.fileName} has come.`)
        } catch (error) {
          if (!(error instanceof LetterError || error instanceof PortStateError)) throw error
          return await letterPage(detail, error.message, 400)
        }
      },
    }),
  ]
}

async function portPage({ port, history }: PortDetail): Promise<Response> {
  const rows = history.map(
    (each) =>
      html`<tr>
        <td>${isoTime(each.at).slice(0, 16)}</td>
        <td>${STATUS_OF[each.state]}</td>
        <td>${each.message}</td>
      </tr>`,
  )
  const body = html`<h1>Port ${port.pid}: ${STATUS_OF[port.progress.state]}</h1>
    <p>${port.message}</p>
    <p>Numbers: ${port.numbers.map(({ e164 }) => tenDigits(e164)).join(', ')}</p>
    <p>Ticket: ${port.ticket}</p>
    <table>
      ${rows}
    </table>`
  return pageAnswer({ title: `Port ${port.pid}`, style: STYLE, body: String(await body) })
}

async function letterPage(
  { port, letters }: PortDetail,
  notice: string,
  status = 200,
): Promise<Response> {
  const { subscriber } = port
  const numbers = port.numbers.map(({ e164 }) => tenDigits(e164)).join(', ')
  const street = [
    subscriber.streetNumber,
    subscriber.streetPrefix,
    subscriber.street,
    subscriber.streetType,
    subscriber.streetSuffix,
  ]
  const body = html`<h1>Letter of authorisation for port ${port.pid}</h1>
    <p role="alert">${notice}</p>
    <ol>
      <li>Print this page, or write the same on your letterhead.</li>
      <li>${subscriber.authPerson} signs and dates it.</li>
      <li>Scan it or take a picture, and upload the file: PDF, JPEG, PNG or TIFF, 10 MiB at most.</li>
    </ol>
    <blockquote>
      <p>
        ${subscriber.name}, ${street.filter((part) => part !== '').join(' ')}, ${subscriber.city},
        ${subscriber.state} ${subscriber.zip}, authorises the port of these numbers from
        ${port.losingCarrier}, account ${subscriber.lcAccountNumber}, billing number
        ${subscriber.lcBtn}: ${numbers}
      </p>
      <p>Name: ${subscriber.authPerson}</p>
      <p>Signature and date: ____________________________</p>
    </blockquote>
    <p>Files so far: ${letters.length === 0 ? 'none' : letters.map((each) => each.fileName).join(', ')}</p>
    <form method="post" enctype="multipart/form-data">
      <p><label>File <input name="file" type="file" required /></label></p>
      <button>Upload</button>
    </form>`
  return pageAnswer({
    title: `Letter of authorisation, port ${port.pid}`,
    style: STYLE,
    body: String(await body),
    status,
    hasForm: true,
  })
}
