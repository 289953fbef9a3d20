/** Client of a running server's voice API, for one account. */
import { noTrunkline, readJson, send } from './send.js'

export type Form = Readonly<Record<string, string | readonly string[] | undefined>>

export interface VoiceTarget {
  readonly url: string
  readonly accountSid: string
  readonly token: string
}

const MAX_PAGE_SIZE = 1_000
const FLAG = '--url'

/** The paths of requests are relative to `/2010-04-01/Accounts/{AccountSid}`. */
export class VoiceServer {
  readonly url: string
  readonly accountSid: string
  readonly #authorization: string

  constructor({ url, accountSid, token }: VoiceTarget) {
    this.url = url
    this.accountSid = accountSid
    this.#authorization = `Basic ${Buffer.from(`${accountSid}:${token}`).toString('base64')}`
  }

  /** Sends any request; the caller reads the response. */
  open(path: string, method = 'GET', form?: Form): Promise<Response> {
    return this.#send(`/2010-04-01/Accounts/${this.accountSid}${path}`, method, form)
  }

  /** `Answer` is trusted: the responses are our own server's. */
  async get<Answer>(path: string): Promise<Answer> {
    return (await this.#read(await this.open(path))) as Answer
  }

  async post<Answer>(path: string, form: Form): Promise<Answer> {
    return (await this.#read(await this.open(path, 'POST', form))) as Answer
  }

  async remove(path: string): Promise<void> {
    await this.open(path, 'DELETE')
  }

  /** Yields up to `limit` records of a list, page by page. */
  async *list<Item>(path: string, name: string, filter: Form, limit: number): AsyncGenerator<Item> {
    const pageSize = String(Math.min(limit, MAX_PAGE_SIZE))
    const query = paramsOf({ ...filter, PageSize: pageSize }).toString()
    let next: string | null = `/2010-04-01/Accounts/${this.accountSid}${path}?${query}`
    let left = limit
    while (next !== null && left > 0) {
      // A list has its records in the field `name`.
      const answer = await this.#read(await this.#send(next, 'GET'))
      const page = (answer ?? {}) as Partial<Record<string, Item[]>> & ListEnvelope
      const records = page[name]
      if (!Array.isArray(records)) throw noTrunkline({ url: this.url, flag: FLAG })
      const items = records.slice(0, left)
      yield* items
      left -= items.length
      next = page.next_page_uri
    }
  }

  #send(path: string, method: string, form?: Form): Promise<Response> {
    const request = { url: this.url, path, method, authorization: this.#authorization }
    const body = form === undefined ? {} : { body: paramsOf(form) }
    return send({ ...request, ...body, flag: FLAG })
  }

  #read(answer: Response): Promise<unknown> {
    return readJson(answer, { url: this.url, flag: FLAG })
  }
}

interface ListEnvelope {
  readonly next_page_uri: string | null
}

/** The fields with a value; a list becomes a repeated field. */
function paramsOf(form: Form): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) {
    if (value === undefined) continue
    for (const each of typeof value === 'string' ? [value] : value) params.append(name, each)
  }
  return params
}
