import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface SinkMail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
}

export interface SmtpSink extends AsyncDisposable {
  readonly url: string
  readonly mails: readonly SinkMail[]
  /** Status that answers the next attempts; undefined: accepts them. */
  answer: number | undefined
}

/** A mail server on loopback that stores received mails. */
export async function startSmtpSink(port = 0): Promise<SmtpSink> {
  const mails: SinkMail[] = []
  const sink = {
    mails,
    answer: undefined as number | undefined,
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onRcptTo: (_address, _session, callback) => {
      if (sink.answer === undefined) callback()
      else callback(Object.assign(new Error('refused'), { responseCode: sink.answer }))
    },
    onData: (stream, { envelope }, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.once('end', () => {
        mails.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
        })
        callback()
      })
    },
  })
  server.on('error', () => undefined) // a client disconnected in the middle
  const listener = server.listen(port, '127.0.0.1')
  await once(listener, 'listening')
  const { port: taken } = listener.address() as AddressInfo // a TCP server has one
  return Object.assign(sink, {
    url: `smtp://127.0.0.1:${taken}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve()
        })
      }),
  })
}

/** The decoded text of a mail, without soft line breaks and escapes (RFC 2045 §6.7). */
export function textOf(raw: string): string {
  const body = raw.slice(raw.indexOf('\r\n\r\n') + 4)
  return body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
}

/** Path of the first link in a mail. */
export function linkIn(text: string): string {
  const [link] = /https?:\/\/\S+/.exec(text) ?? []
  if (link === undefined) throw new Error(`there is no link in:\n${text}`)
  return new URL(link).pathname
}
