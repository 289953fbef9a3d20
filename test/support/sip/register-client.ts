import { randomBytes } from 'node:crypto'
import {
  answerChallenge,
  type DigestAlgorithm,
  parseChallenge,
} from '../../../src/platform/sip-digest/digest.js'
import { openTcpWire, openUdpWire, type RegisterWire } from './register-wire.js'
import { PASSWORD } from './softphone-domain.js'

export interface RegisterOptions {
  readonly domain: string
  readonly user: string
  /** Password; default `PASSWORD`. */
  readonly password?: string
  /** Contact header; default: the client's own address. Empty: no Contact. */
  readonly contact?: string
  readonly expires?: number
  readonly algorithm?: DigestAlgorithm
  /** Sends an `INVITE` to this user of the domain instead. */
  readonly calls?: string
  /** Sends a `MESSAGE` to this user of the domain instead. */
  readonly writesTo?: string
  /** Body; its type is among `headers`. */
  readonly body?: string
  readonly headers?: readonly string[]
  /** URI in the digest, if it differs from the Request-URI. */
  readonly claims?: string
  /** User of the address of record, if it differs from the user of the credentials. */
  readonly aor?: string
  /** Challenge to reuse instead of requesting a new one, with its nonce count. */
  readonly reuse?: { readonly challenge: string; readonly count: number }
}

export interface RegisterAnswer {
  readonly status: number
  readonly text: string
  /** Values of all headers with that name. */
  headers(name: string): readonly string[]
}

const LIMIT_MS = 15_000

/** A softphone that registers, and may call or send a text. */
export class RegisterClient implements AsyncDisposable {
  readonly #callId = randomBytes(8).toString('hex')
  readonly #waiting = new Map<string, (text: string) => void>()
  readonly #givenUp = new AbortController()
  readonly #address: string
  #wire: RegisterWire | undefined
  /** CSeq of the last request. */
  sequence = 0

  /** `address`: the loopback address that it sends from. */
  static async open(
    sipPort: number,
    address = '127.0.0.1',
    transport: RegisterWire['transport'] = 'UDP',
  ): Promise<RegisterClient> {
    const client = new RegisterClient(address)
    const openWire = transport === 'UDP' ? openUdpWire : openTcpWire
    client.#wire = await openWire(sipPort, address, (text) => {
      client.#take(text)
    })
    return client
  }

  private constructor(address: string) {
    this.#address = address
  }

  get port(): number {
    return this.#way.port
  }

  get #way(): RegisterWire {
    if (this.#wire === undefined) throw new Error('not open')
    return this.#wire
  }

  readonly #options = new Set<string>()
  answersOptions = true

  /** Number of received OPTIONS, without retransmissions. */
  get optionsReceived(): number {
    return this.#options.size
  }

  /** Registers, answering one challenge. */
  async register(options: RegisterOptions): Promise<RegisterAnswer> {
    if (options.reuse !== undefined)
      return this.send(
        options,
        this.authorize(options, options.reuse.challenge, options.reuse.count),
      )
    const first = await this.send(options)
    if (first.status !== 401) return first
    const challenge = challengeFor(first, options.algorithm ?? 'SHA-256')
    return this.send(options, this.authorize(options, challenge, 1))
  }

  /** Stops waiting for answers: pending requests reject. */
  giveUp(): void {
    this.#givenUp.abort()
  }

  /** Authorization header that answers a challenge. */
  authorize(options: RegisterOptions, challenge: string, count: number): string {
    const parsed = parseChallenge(challenge)
    if (parsed === undefined) throw new Error(`no challenge: ${challenge}`)
    const answer = answerChallenge(parsed, {
      username: options.user,
      password: options.password ?? PASSWORD,
      method: methodOf(options),
      uri: options.claims ?? uriOf(options),
      count,
      clientNonce: 'abcdef',
    })
    return `Authorization: ${answer}`
  }

  /** Sends one REGISTER; resolves with its final response. Rejects when none arrives. */
  async send(options: RegisterOptions, authorization?: string): Promise<RegisterAnswer> {
    this.sequence++
    const sequence = String(this.sequence)
    const branch = randomBytes(6).toString('hex')
    const { domain, user, aor = user, body = '', expires } = options
    const contact = options.contact ?? this.#contact(user)
    const lines = [
      `${methodOf(options)} ${uriOf(options)} SIP/2.0`,
      `Via: SIP/2.0/${this.#way.transport} ${this.#address}:${this.port};rport;branch=z9hG4bK${branch}`,
      'Max-Forwards: 70',
      `From: <sip:${aor}@${domain}>;tag=${this.#callId}`,
      `To: <${methodOf(options) === 'REGISTER' ? `sip:${aor}@${domain}` : uriOf(options)}>`,
      `Call-ID: ${this.#callId}`,
      `CSeq: ${sequence} ${methodOf(options)}`,
      ...(contact === '' ? [] : [`Contact: ${contact}`]),
      ...(expires === undefined ? [] : [`Expires: ${expires}`]),
      ...(authorization === undefined ? [] : [authorization]),
      ...(options.headers ?? []),
      `Content-Length: ${Buffer.byteLength(body)}`,
    ]
    const answered = new AbortController()
    const text = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`no answer to REGISTER ${sequence}`))
      }, LIMIT_MS)
      this.#givenUp.signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer)
          reject(new Error('given up'))
        },
        { signal: answered.signal },
      )
      this.#waiting.set(sequence, (answer) => {
        if (answer.startsWith('SIP/2.0 1')) return
        clearTimeout(timer)
        resolve(answer)
      })
      this.#way.send(`${lines.join('\r\n')}\r\n\r\n${body}`)
    }).finally(() => {
      answered.abort()
      this.#waiting.delete(sequence)
    })
    const status = Number(/^SIP\/2.0 (\d{3})/.exec(text)?.[1])
    if (methodOf(options) === 'INVITE' && status >= 300) this.#acknowledge(lines, text)
    return {
      status,
      text,
      headers: (name) =>
        [...text.matchAll(new RegExp(`^${name}: (.*)$`, 'gim'))].map((match) => match[1] ?? ''),
    }
  }

  /** The ACK of a refusal is part of the INVITE's transaction (RFC 3261 §17.1.1.3). */
  #acknowledge(invite: readonly string[], refusal: string): void {
    const kept = invite.filter((line) => /^(via|from|call-id|max-forwards):/i.test(line))
    const to = /^to:.*$/im.exec(refusal)?.[0] ?? ''
    const lines = [
      (invite[0] ?? '').replace('INVITE', 'ACK'),
      ...kept,
      to,
      `CSeq: ${String(this.sequence)} ACK`,
      'Content-Length: 0',
    ]
    this.#way.send(`${lines.join('\r\n')}\r\n\r\n`)
  }

  #contact(user: string): string {
    const transport = this.#way.transport === 'TCP' ? ';transport=tcp' : ''
    return `<sip:${user}@${this.#address}:${this.port}${transport}>`
  }

  #take(text: string): void {
    if (text.startsWith('MESSAGE ')) this.#answerMessage(text)
    else if (text.startsWith('OPTIONS ')) this.#answerOptions(text)
    else this.#waiting.get(/^CSeq: (\d+)/im.exec(text)?.[1] ?? '')?.(text)
  }

  readonly #messages = new Map<string, string>()
  /** Status of the answer to a MESSAGE. */
  messageStatus = 200

  /** Received MESSAGEs as raw text, without retransmissions. */
  get messages(): readonly string[] {
    return [...this.#messages.values()]
  }

  #answerMessage(text: string): void {
    this.#messages.set(/^via:.*$/im.exec(text)?.[0] ?? '', text)
    const copied = text.split('\r\n').filter((line) => /^(via|from|to|call-id|cseq):/i.test(line))
    const lines = [`SIP/2.0 ${this.messageStatus} Answer`, ...copied, 'Content-Length: 0']
    this.#way.send(`${lines.join('\r\n')}\r\n\r\n`)
  }

  #answerOptions(text: string): void {
    this.#options.add(/^via:.*$/im.exec(text)?.[0] ?? '')
    if (!this.answersOptions) return
    const copied = text.split('\r\n').filter((line) => /^(via|from|to|call-id|cseq):/i.test(line))
    const lines = ['SIP/2.0 200 OK', ...copied, 'Content-Length: 0']
    this.#way.send(`${lines.join('\r\n')}\r\n\r\n`)
  }

  /** Closes its socket or connection without unregistering. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#way.close()
  }
}

function methodOf({ calls, writesTo }: RegisterOptions): 'REGISTER' | 'INVITE' | 'MESSAGE' {
  if (writesTo !== undefined) return 'MESSAGE'
  return calls === undefined ? 'REGISTER' : 'INVITE'
}

function uriOf({ calls, domain, writesTo = calls }: RegisterOptions): string {
  return writesTo === undefined ? `sip:${domain}` : `sip:${writesTo}@${domain}`
}

/** The challenge of a 401 for an algorithm. */
export function challengeFor(answer: RegisterAnswer, algorithm: DigestAlgorithm): string {
  const found = answer
    .headers('WWW-Authenticate')
    .find((value) => value.includes(`algorithm=${algorithm}`))
  if (found === undefined) throw new Error(`no challenge for ${algorithm}:\n${answer.text}`)
  return found
}
