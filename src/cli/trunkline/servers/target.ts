/** Finds the server for a command: flags take precedence over the environment, and that over DATA_DIR. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, type ListenAddress, readConfig } from '../../../config.js'
import { type Surroundings, UsageError } from '../surroundings.js'
import { type CallEvent, subscribe } from './call-events.js'
import { readJson, ServerRefusedError, send } from './send.js'
import type { VoiceTarget } from './voice-server.js'

/** Flags that select the server and the account. */
export interface TargetFlags {
  readonly url?: string
  readonly account?: string
  readonly token?: string
  readonly adminUrl?: string
  readonly adminToken?: string
}

type Env = Surroundings['env']

interface OperatorTarget {
  readonly url: string
  readonly token: string
}

export function voiceTarget(flags: TargetFlags, env: Env): VoiceTarget {
  return { url: voiceUrl(flags, env), ...voiceCredentials(flags, env) }
}

export function voiceUrl({ url }: TargetFlags, env: Env): string {
  if (url !== undefined) return checkedUrl(url)
  const config = readConfig(env)
  return config.publicUrl ?? listenerUrl(config, 'HTTP_PORT', config.http, 'voice API', env)
}

export function operatorTarget(flags: TargetFlags, env: Env): OperatorTarget {
  return { url: operatorUrl(flags, env), token: operatorToken(flags, env) }
}

/** Client of a running server's private listener. */
export class OperatorServer {
  readonly url: string
  readonly #token: string

  constructor({ url, token }: OperatorTarget) {
    this.url = url
    this.#token = token
  }

  /** Resolves with the server's answer; with undefined for an empty body. */
  async ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const request = { url: this.url, path, method, authorization: `Bearer ${this.#token}` }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const sent = { ...request, ...content, flag: '--admin-url' } as const
    // A 204 has no body; its callers ignore the result.
    return (await readJson(await send(sent), sent)) as Answer
  }

  /** Resolves once subscribed, with the events of all calls. */
  async events(signal: AbortSignal): Promise<AsyncGenerator<CallEvent>> {
    await this.ask('GET', '/carriers') // Fails with an explained error if the server refuses.
    try {
      return await subscribe(this.url, this.#token, signal)
    } catch (cause) {
      throw new ServerRefusedError(`no events come from ${this.url}`, undefined, cause)
    }
  }
}

export function operatorUrl({ adminUrl }: TargetFlags, env: Env): string {
  if (adminUrl !== undefined) return checkedUrl(adminUrl)
  const config = readConfig(env)
  return listenerUrl(config, 'ADMIN_PORT', config.admin, 'private listener', env)
}

function operatorToken({ adminToken }: TargetFlags, env: Env): string {
  if (adminToken !== undefined) return adminToken
  const { admin, dataDir } = readConfig(env)
  if (admin.token !== undefined) return admin.token
  const file = join(dataDir, 'admin-token')
  const token = readOr(file)?.trim()
  if (token === undefined || token === '')
    throw new UsageError(`no admin token: give --admin-token, or set ADMIN_TOKEN, or ${file}`)
  return token
}

function voiceCredentials({ account, token }: TargetFlags, env: Env) {
  if (account !== undefined && token !== undefined) return { accountSid: account, token }
  const { firstAccount, dataDir } = readConfig(env)
  const own = ownAccount(firstAccount, dataDir)
  const accountSid = account ?? own.sid
  const known = token ?? (accountSid === own.sid ? own.token : undefined)
  if (accountSid !== undefined && known !== undefined) return { accountSid, token: known }
  if (accountSid !== undefined)
    throw new UsageError(`the token of ${accountSid} is not known here: give --token too`)
  const file = join(dataDir, 'first-account.json')
  throw new UsageError(
    `no account: give --account and --token, or set FIRST_ACCOUNT_SID and FIRST_ACCOUNT_TOKEN, or ${file}`,
  )
}

/** The account of the environment; missing fields come from DATA_DIR. */
function ownAccount(set: Config['firstAccount'], dataDir: string): Config['firstAccount'] {
  const kept = keptAccount(dataDir)
  const sid = set.sid ?? kept?.accountSid
  return { sid, token: set.token ?? (kept?.accountSid === sid ? kept?.authToken : undefined) }
}

/** The account that the server stored at its first start. */
function keptAccount(dataDir: string) {
  const text = readOr(join(dataDir, 'first-account.json'))
  // written by our own server
  return text === undefined
    ? undefined
    : (JSON.parse(text) as { readonly accountSid: string; readonly authToken: string })
}

/** URL of a listener. A server started on another port has noted it in DATA_DIR. */
function listenerUrl(
  { dataDir }: Config,
  variable: string,
  { host, port }: ListenAddress,
  listener: string,
  env: Env,
): string {
  const isChosen = (env[variable] ?? '').trim() !== '' && port !== 0
  const noted = isChosen ? undefined : notedListener(dataDir, listener)
  return reachable(noted ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`)
}

function notedListener(dataDir: string, listener: string): string | undefined {
  const url = notedAddress(dataDir, listener)
  return url !== undefined && URL.canParse(url) && new URL(url).port !== '0' ? url : undefined
}

/** SIP address of the running server: `SIP_PORT` if set, else the one noted in its data folder. */
export function sipListener({ dataDir, sip }: Config, env: Env): ListenAddress {
  const isChosen = (env['SIP_PORT'] ?? '').trim() !== '' && sip.port !== 0
  const noted = isChosen ? undefined : notedAddress(dataDir, 'SIP')
  const [, host, port] = /^\[?([^\]]+)\]?:(\d+)$/.exec(noted ?? '') ?? []
  return host === undefined || Number(port) === 0 ? sip : { host, port: Number(port) }
}

function notedAddress(dataDir: string, listener: string): string | undefined {
  const text = readOr(join(dataDir, 'owner.json'))
  if (text === undefined) return undefined
  // written by our own server
  const { listeners } = JSON.parse(text) as { readonly listeners: readonly string[] }
  return listeners.find((line) => line.startsWith(`${listener} `))?.slice(listener.length + 1)
}

/** Replaces an all-addresses host by loopback. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

function checkedUrl(text: string): string {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  if (!isHttp) throw new UsageError(`${text} is not an http or https URL`)
  return text.replace(/\/+$/, '')
}

function readOr(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined // the file is missing or unreadable: a flag is required
  }
}
