/** The demo's message: from a number of the account to a lab phone, and the phone's reply. */
export interface DemoServer {
  readonly http: string
  readonly admin: string
  readonly adminToken: string
  readonly account: { readonly sid: string; readonly secret: string }
}

export interface DemoMessage {
  /** The last observed status of the message. */
  readonly status: string
  /** Text of the reply; undefined when none arrived in time. */
  readonly reply: string | undefined
}

export function isAnswered({ status, reply }: DemoMessage): boolean {
  return status === 'delivered' && reply !== undefined
}

/** A toll-free number: it needs no campaign to send. */
const NUMBER = '+18005550100'
export const MESSAGE_PHONE = '+15005550001'
const TEXT = 'Is anybody there?'
const POLL_MS = 100

/**
 * Sends the message and waits for the reply. When the signal aborts, resolves with the state so far, or rejects
 * if a request failed.
 */
export async function exchangeMessage(
  server: DemoServer,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<DemoMessage> {
  await stockNumber(server)
  await request(server, 'POST', 'IncomingPhoneNumbers.json', { PhoneNumber: NUMBER })
  const sent = await request(server, 'POST', 'Messages.json', {
    From: NUMBER,
    To: MESSAGE_PHONE,
    Body: TEXT,
  })
  say(`message  ${NUMBER} → ${MESSAGE_PHONE}  "${TEXT}"`)
  const sid = String(sent['sid'])
  for (;;) {
    const reply = await replyTo(server)
    // The phone replies once it received the message.
    const { status } = await request(server, 'GET', `Messages/${sid}.json`)
    if (reply !== undefined) say(`message  ${MESSAGE_PHONE} → ${NUMBER}  "${reply}"`)
    if (reply !== undefined || signal.aborted) return { status: String(status), reply }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

async function replyTo(server: DemoServer): Promise<string | undefined> {
  const query = new URLSearchParams({ To: NUMBER, From: MESSAGE_PHONE })
  const found = await request(server, 'GET', `Messages.json?${query.toString()}`)
  const [message] = found['messages'] as readonly { readonly body: string }[]
  return message?.body
}

/** Adds the number to the operator's inventory. */
async function stockNumber({ admin, adminToken }: DemoServer): Promise<void> {
  const answer = await fetch(`${admin}/inventory/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'text/csv' },
    body: `number,type,country,sms,mms\n${NUMBER},toll-free,US,yes,yes\n`,
  })
  if (!answer.ok) throw new Error(`the inventory was refused: ${answer.status}`)
}

async function request(
  { account, http }: DemoServer,
  method: 'GET' | 'POST',
  path: string,
  form?: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const key = Buffer.from(`${account.sid}:${account.secret}`).toString('base64')
  const answer = await fetch(`${http}/2010-04-01/Accounts/${account.sid}/${path}`, {
    method,
    headers: { authorization: `Basic ${key}` },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
  })
  const body = (await answer.json()) as Readonly<Record<string, unknown>>
  if (!answer.ok) throw new Error(`${path} was refused: ${String(body['message'])}`)
  return body
}
