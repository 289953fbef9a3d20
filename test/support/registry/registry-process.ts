import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ServerChild, startServer } from '../../../src/cli/server-child.js'
import { rtpRange } from '../process/rtp-range.js'
import { noteServer } from '../process/server-logs.js'
import { databaseSetting } from '../process/test-database.js'

const MAIN = new URL('../../../dist/main.js', import.meta.url)
const hex = () => randomBytes(16).toString('hex')

export interface RegistryAnswer {
  readonly status: number
  /** Fields that tests read by name; lists are under `records`. */
  readonly body: Readonly<Record<string, unknown>>
}

/** The built server on one data folder, which a test can kill and restart. */
export class RegistryProcess implements AsyncDisposable {
  readonly #env: Readonly<Record<string, string>>
  readonly #dataDir: string
  readonly #secret: string
  readonly #adminToken: string
  #server: ServerChild | undefined

  constructor(dataDir: string, settings: Readonly<Record<string, string>> = {}) {
    this.#dataDir = dataDir
    this.#secret = hex()
    this.#adminToken = hex()
    this.#env = {
      HTTP_PORT: '0',
      ADMIN_PORT: '0',
      SIP_PORT: '0',
      RTP_PORTS: rtpRange(),
      ADMIN_TOKEN: this.#adminToken,
      DATA_DIR: dataDir,
      FIRST_ACCOUNT_SID: `AC${hex()}`,
      FIRST_ACCOUNT_TOKEN: this.#secret,
      ...settings,
    }
  }

  async start(): Promise<void> {
    const database = await databaseSetting(this.#dataDir)
    this.#server = await startServer({ ...database, ...this.#env }, MAIN)
    noteServer(this.#server)
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    const { process } = this.#running()
    const exited = once(process, 'exit')
    process.kill('SIGKILL')
    await exited
  }

  log(): string {
    return this.#running().log()
  }

  get http(): string {
    return this.#running().listening.http
  }

  get admin(): string {
    return this.#running().listening.admin
  }

  /** API key of the first account. */
  get key(): string {
    return this.#secret
  }

  /** Sends a request of the customer below /v2/csp; on demand, retries one that was refused as too early. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    key: string = this.#secret,
  ): Promise<RegistryAnswer> {
    return this.#send(`${this.http}/v2/csp${path}`, key, method, body)
  }

  /** Sends a request of the customer with an `Idempotency-Key`. */
  async callOnce(
    method: string,
    path: string,
    body: unknown,
    idempotencyKey: string,
  ): Promise<RegistryAnswer> {
    const url = `${this.http}/v2/csp${path}`
    return this.#send(url, this.#secret, method, body, { 'idempotency-key': idempotencyKey })
  }

  /** Token of the private listener. */
  get operatorToken(): string {
    return this.#adminToken
  }

  /** Creates another account; resolves with its key. */
  async anotherKey(friendlyName: string): Promise<string> {
    const url = `${this.admin}/accounts`
    const { body } = await this.#send(url, this.#adminToken, 'POST', { friendlyName })
    return String(body['authToken'])
  }

  /** Sends a request of the operator below /registry on the private listener. */
  async operator(method: string, path: string, body?: unknown): Promise<RegistryAnswer> {
    return this.#send(`${this.admin}/registry${path}`, this.#adminToken, method, body)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]()
  }

  #running(): ServerChild {
    if (this.#server === undefined) throw new Error('the server was not started')
    return this.#server
  }

  async #send(
    url: string,
    key: string,
    method: string,
    body: unknown,
    more: Readonly<Record<string, string>> = {},
  ): Promise<RegistryAnswer> {
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (answer.status === 429) {
      await answer.body?.cancel()
      await sleep(Number(answer.headers.get('retry-after')) * 1_000)
      return this.#send(url, key, method, body, more)
    }
    const text = await answer.text()
    // Both listeners answer with JSON, except for 204.
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as never }
  }
}
