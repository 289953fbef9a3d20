import type { RunningTrunkline } from '../process/trunkline.js'

export type RestBody = Readonly<Record<string, unknown>>

export interface RestAnswer {
  readonly status: number
  /** `data` of the envelope; empty when the answer has none. */
  readonly data: RestBody
  readonly text: string
}

/** Sends a request to the account API as the server's account; `path` is relative to `/v2.2`. */
export async function askRest(
  { http, account }: Pick<RunningTrunkline, 'http' | 'account'>,
  method: string,
  path: string,
  body?: object,
): Promise<RestAnswer> {
  const isForm = body instanceof FormData
  const answer = await fetch(`${http}/v2.2${path}`, {
    method,
    headers: {
      authorization: `Bearer ${account.secret}`,
      ...(isForm ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  const { data = {} } = (text === '' ? {} : JSON.parse(text)) as { readonly data?: RestBody }
  return { status: answer.status, data, text }
}

/** Like `askRest`, but rejects with any answer that is not a success. */
export async function callRest(...asked: Parameters<typeof askRest>): Promise<RestBody> {
  const [, method, path] = asked
  const { status, data, text } = await askRest(...asked)
  if (status >= 300) throw new Error(`${method} ${path}: ${String(status)} ${text}`)
  return data
}
