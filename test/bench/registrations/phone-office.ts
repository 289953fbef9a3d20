/** Softphones of one office: they share an address and a socket, and register over UDP. */
import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import {
  answerChallenge,
  type DigestChallenge,
  parseChallenge,
} from '../../../src/platform/sip-digest/digest.js'

export interface Office {
  readonly address: string
  readonly sipPort: number
  readonly domain: string
  readonly password: string
}

export interface OfficePhone {
  /** Resolves with true once a REGISTER got its 200, with false when it did not in time. */
  register(limitMs: number): Promise<boolean>
}

/** RFC 3261 §17.1.2.2: the first time after which UDP is sent again; the next ones are doubled. */
const T1_MS = 500
const T2_MS = 4_000
const EXPIRES_SECONDS = 3_600
/** Nonces last five minutes: of five refreshes, one a minute, one is challenged. */
const USES_OF_NONCE = 5

type Waiting = Map<string, (response: string) => void>

/** Opens the office's socket. `phone` makes one phone more. */
export async function openOffice(
  office: Office,
): Promise<{ phone(user: string): OfficePhone; close(): void }> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
  socket.bind(0, office.address)
  await once(socket, 'listening')
  const waiting: Waiting = new Map()
  socket.on('message', (bytes) => {
    const text = bytes.toString('latin1')
    const branch = /branch=([^;\r\n]+)/.exec(text)?.[1]
    if (branch !== undefined && /^SIP\/2\.0 [2-6]/.test(text)) waiting.get(branch)?.(text)
  })
  return {
    phone: (user) => new Phone(user, office, socket, waiting),
    close: () => socket.close(),
  }
}

class Phone implements OfficePhone {
  readonly #user: string
  readonly #office: Office
  readonly #socket: Socket
  readonly #waiting: Waiting
  readonly #callId = randomBytes(12).toString('hex')
  #sequence = 0
  #challenge: DigestChallenge | undefined
  #uses = 0

  constructor(user: string, office: Office, socket: Socket, waiting: Waiting) {
    this.#user = user
    this.#office = office
    this.#socket = socket
    this.#waiting = waiting
  }

  async register(limitMs: number): Promise<boolean> {
    if (this.#uses >= USES_OF_NONCE) this.#challenge = undefined
    const until = performance.now() + limitMs
    for (let tries = 0; tries < 3; tries++) {
      const response = await this.#send(until)
      if (response?.startsWith('SIP/2.0 200') === true) return true
      const header = /^WWW-Authenticate: (Digest [^\r\n]*)/im.exec(response ?? '')?.[1]
      if (header === undefined) return false
      this.#challenge = parseChallenge(header)
      this.#uses = 0
    }
    return false
  }

  /** Sends one REGISTER, again and again as UDP wants it. Undefined when nothing came in time. */
  async #send(until: number): Promise<string | undefined> {
    const branch = `z9hG4bK${randomBytes(9).toString('hex')}`
    const request = this.#request(branch)
    return new Promise((resolve) => {
      let waitMs = T1_MS
      let timer: NodeJS.Timeout | undefined
      const finish = (response: string | undefined) => {
        clearTimeout(timer)
        this.#waiting.delete(branch)
        resolve(response)
      }
      const send = () => {
        if (performance.now() > until) {
          finish(undefined)
          return
        }
        this.#socket.send(request, this.#office.sipPort, '127.0.0.1')
        timer = setTimeout(send, waitMs)
        waitMs = Math.min(2 * waitMs, T2_MS)
      }
      this.#waiting.set(branch, finish)
      send()
    })
  }

  #request(branch: string): string {
    const { address, domain } = this.#office
    const { port } = this.#socket.address()
    this.#sequence++
    const identity = `<sip:${this.#user}@${domain}>`
    return [
      `REGISTER sip:${domain} SIP/2.0`,
      `Via: SIP/2.0/UDP ${address}:${port};rport;branch=${branch}`,
      'Max-Forwards: 70',
      `From: ${identity};tag=${this.#callId}`,
      `To: ${identity}`,
      `Call-ID: ${this.#callId}`,
      `CSeq: ${this.#sequence} REGISTER`,
      `Contact: <sip:${this.#user}@${address}:${port}>`,
      `Expires: ${EXPIRES_SECONDS}`,
      ...this.#authorization(),
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n')
  }

  #authorization(): readonly string[] {
    if (this.#challenge === undefined) return []
    this.#uses++
    const answer = answerChallenge(this.#challenge, {
      username: this.#user,
      password: this.#office.password,
      method: 'REGISTER',
      uri: `sip:${this.#office.domain}`,
      count: this.#uses,
      clientNonce: 'abcdef',
    })
    return [`Authorization: ${answer}`]
  }
}
