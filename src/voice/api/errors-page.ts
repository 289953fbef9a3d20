import { pageAnswer } from '../../platform/http/page-answer.js'
import { type CataloguedError, ERROR_CATALOGUE } from '../errors/error-catalogue.js'

const STYLE = `
body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}
td{border-top:1px solid #d0d7de;padding:.3rem 1rem .3rem 0;vertical-align:top}tr:target{background:#fff8c5}
small,em{color:#57606a}a{color:inherit}
`

/**
 * The page at `/docs/errors`. Each number has the anchor that `more_info` of an error points to.
 */
export function errorsPage(): Response {
  const rows = Object.entries<CataloguedError>(ERROR_CATALOGUE).map(
    ([number, { name, text, remedy }]) =>
      `<tr id="${number}"><td><a href="#${number}">${number}</a><br><small>${name}</small></td>` +
      `<td>${html(text)}<br><em>${html(remedy)}</em></td></tr>`,
  )
  const body = `<h1>Errors</h1><table>\n${rows.join('\n')}\n</table>`
  return pageAnswer({ title: 'Errors', style: STYLE, body })
}

/** Escapes a text for HTML; backticks mark code. */
function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
