import { connect, type Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import { linkAbort, reasonOf } from '../platform/async/abort.js'
import { MailError, type Mailer } from './mail.js'
import { messageOf } from './mail-message.js'

/** Time limit of one mail, from the connection to the final response, ms. */
const LIMIT_MS = 30_000
const STEP_LIMIT_MS = 15_000
/** The library's names of failures that are about this mail, not about the server or the way to it. */
const OF_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE'])

export interface SmtpSettings {
  /** `smtp://USER:PASSWORD@HOST:PORT`, or `smtps:` for TLS from the first byte. */
  readonly url: string
  readonly from: string
}

/** Sends mails by SMTP (RFC 5321), each over a connection of its own, which the signal ends. */
export function createSmtpMailer({ url, from }: SmtpSettings): Mailer {
  return {
    send: async (mail, signal) => {
      using link = linkAbort([signal], {
        ms: LIMIT_MS,
        reason: () => new MailError('the mail server took too long', { isRetryable: true }),
      })
      const transport = createTransport({
        url,
        connectionTimeout: STEP_LIMIT_MS,
        greetingTimeout: STEP_LIMIT_MS,
        socketTimeout: STEP_LIMIT_MS,
        getSocket: ({ host, port }, callback) => {
          const socket = openSocket(host ?? 'localhost', Number(port ?? 587), link.signal)
          socket.once('error', (error) => {
            callback(error)
          })
          socket.once('connect', () => {
            callback(null, { connection: socket })
          })
        },
      })
      try {
        await transport.sendMail(messageOf(mail, from))
      } catch (error) {
        throw link.signal.aborted ? reasonOf(link.signal) : failureOf(error)
      } finally {
        transport.close()
      }
    },
  }
}

function openSocket(host: string, port: number, signal: AbortSignal): Socket {
  const socket = connect({ host, port })
  const onAbort = (): void => {
    socket.destroy(reasonOf(signal))
  }
  signal.addEventListener('abort', onAbort, { once: true })
  socket.once('close', () => {
    signal.removeEventListener('abort', onAbort)
  })
  return socket
}

/** A 5xx about the mail is final (RFC 5321 §4.2.1); one about our login is for the operator to mend. */
function failureOf(error: unknown): MailError {
  const { code, responseCode: status, message } = error as Partial<Refusal> // as the library throws
  const isFinal = OF_THE_MAIL.has(code ?? '') && status !== undefined && status >= 500
  return new MailError(message ?? 'the mail was not sent', {
    cause: error,
    isRetryable: !isFinal,
    status,
  })
}

interface Refusal {
  readonly code: string
  readonly responseCode: number
  readonly message: string
}
