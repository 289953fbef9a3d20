import { isIP } from 'node:net'
import { isRange } from '../platform/cidr.js'
import { PostgresUrlError, readPostgresUrl } from '../platform/database/postgres-url.js'
import { withoutCredentials } from '../platform/http/authorization.js'
import { readWebUrl } from '../platform/http/web-url.js'

const EXTENSION_HEADER = /^x-[a-z0-9-]{1,62}$/i

export type Env = Readonly<Record<string, string | undefined>>

/** Reads settings of each kind, and collects what is wrong with them. */
export class EnvReader {
  readonly #env: Env
  readonly #problems: string[]
  readonly #names = new Set<string>()

  constructor(env: Env, problems: string[]) {
    this.#env = env
    this.#problems = problems
  }

  /** The names of the settings that were read. */
  get names(): ReadonlySet<string> {
    return this.#names
  }

  /** The folders of programs, as the shell has them. */
  searchPath(): string | undefined {
    return this.#env['PATH']
  }

  optional(name: string): string | undefined {
    this.#names.add(name)
    const value = this.#env[name]?.trim()
    return value === '' ? undefined : value
  }

  text(name: string, fallback: string): string {
    return this.optional(name) ?? fallback
  }

  list(name: string): string[] {
    return (this.optional(name) ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
  }

  /** Reads a list of addresses and CIDRs. */
  ranges(name: string, fallback: readonly string[] = []): readonly string[] {
    const ranges = this.list(name)
    const bad = ranges.find((range) => !isRange(range))
    if (bad !== undefined)
      this.#problems.push(`${name}: must be addresses and CIDRs, one is "${bad}"`)
    return ranges.length === 0 ? fallback : ranges
  }

  prefixes(name: string): string[] {
    const prefixes = this.list(name)
    const bad = prefixes.find((prefix) => !/^\+[1-9]\d{0,14}$/.test(prefix))
    if (bad !== undefined)
      this.#problems.push(`${name}: must be beginnings of numbers such as +1900, one is "${bad}"`)
    return prefixes
  }

  /** Reads beginnings of short codes. */
  codes(name: string): string[] {
    const codes = this.list(name)
    const bad = codes.find((code) => !/^\d{1,8}$/.test(code))
    if (bad !== undefined)
      this.#problems.push(`${name}: must be short codes such as 72345, one is "${bad}"`)
    return codes
  }

  /** Reads names of extension headers. A name that HTTP or the webhook itself uses is refused. */
  headerNames(name: string, fallback: readonly string[]): readonly string[] {
    const names = this.list(name)
    const bad = names.find((header) => !EXTENSION_HEADER.test(header))
    if (bad !== undefined)
      this.#problems.push(`${name}: must be names such as X-My-Signature, one is "${bad}"`)
    return names.length === 0 ? fallback : names
  }

  /** Reads such names, each with one of the forms behind a colon; without it, with the first one. */
  headerForms<const Form extends string>(
    name: string,
    forms: readonly [Form, ...Form[]],
  ): readonly { readonly header: string; readonly form: Form }[] {
    return this.list(name).flatMap((entry) => {
      const [header = '', wanted = forms[0], ...rest] = entry.split(':')
      const form = forms.find((each) => each === wanted)
      if (form !== undefined && rest.length === 0 && EXTENSION_HEADER.test(header))
        return [{ header, form }]
      const example = `X-My-Signature or X-My-Signature:FORM (${forms.join(', ')})`
      this.#problems.push(`${name}: must be names such as ${example}, one is "${entry}"`)
      return []
    })
  }

  address(name: string, fallback: string): string {
    const value = this.text(name, fallback)
    if (isIP(value) === 0) this.#problems.push(`${name}: must be an IP address, is "${value}"`)
    return value
  }

  port(name: string, fallback: number): number {
    const value = this.text(name, String(fallback))
    if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value)
    this.#problems.push(`${name}: must be a port (0 picks a free one), is "${value}"`)
    return fallback
  }

  atLeastOne(name: string, fallback: number): number {
    const value = this.text(name, String(fallback))
    if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
    this.#problems.push(`${name}: must be a whole number from 1, is "${value}"`)
    return fallback
  }

  portRange(name: string, fallback: string): { first: number; last: number } {
    const value = this.text(name, fallback)
    const [, first = '', last = ''] = /^(\d{1,5})-(\d{1,5})$/.exec(value) ?? []
    const range = { first: Number(first), last: Number(last) }
    const isUsable =
      first !== '' && range.first >= 1024 && range.last <= 65_535 && range.first + 1 < range.last
    if (!isUsable)
      this.#problems.push(`${name}: must be FIRST-LAST within 1024-65535, is "${value}"`)
    return range
  }

  wholeNumber(name: string, fallback: number, range: { from: number; to: number }): number {
    const value = this.text(name, String(fallback))
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    if (number >= range.from && number <= range.to) return number
    this.#problems.push(`${name}: must be ${range.from} to ${range.to}, is "${value}"`)
    return fallback
  }

  /** Reads a URL that paths are appended to. An error does not show the value, which may have a password. */
  url(name: string): string | undefined {
    const value = this.optional(name)
    if (value === undefined) return undefined
    const url = /\s/.test(value) ? undefined : readWebUrl(value)
    if (url === undefined)
      this.#problems.push(`${name}: must be an http or https URL${shownUnlessSecret(value)}`)
    else if (/[?#]/.test(value))
      this.#problems.push(`${name}: must be a URL without query and fragment`)
    return value.replace(/\/+$/, '')
  }

  /** Reads a URL that is shown to others. */
  publicUrl(name: string): string | undefined {
    const value = this.url(name)
    if (value !== undefined && value !== withoutCredentials(value))
      this.#problems.push(`${name}: must be a URL without user and password`)
    return value
  }

  /** Reads the URL of a mail server. An error does not show the value, which may have a password. */
  smtpUrl(name: string): string | undefined {
    const value = this.optional(name)
    if (value === undefined) return undefined
    const url = URL.canParse(value) ? new URL(value) : undefined
    if (url === undefined || !isMailServer(url))
      this.#problems.push(`${name}: must have the form smtp://USER:PASSWORD@HOST:PORT, or smtps:`)
    else if ((url.username === '') !== (url.password === ''))
      this.#problems.push(`${name}: needs a user and a password, or neither`)
    else if (!isEscaped(url.username) || !isEscaped(url.password))
      this.#problems.push(`${name}: has a % that is no escape; write %25`)
    return value
  }

  /** Reads an address of mail, with or without a name before it. */
  mailbox(name: string, fallback: string): string {
    const value = this.text(name, fallback)
    const isMailbox = /^([^<>"\r\n,;]+ <[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(value)
    if (!isMailbox)
      this.#problems.push(`${name}: must be an address such as "Acme <mail@acme.example>"`)
    return value
  }

  /** Reads the URL of a database. An error does not show the value, which has a password. */
  databaseUrl(name: string): string | undefined {
    const value = this.optional(name)
    if (value === undefined) return undefined
    try {
      readPostgresUrl(value)
    } catch (error) {
      if (!(error instanceof PostgresUrlError)) throw error
      this.#problems.push(`${name}: ${error.message}`)
    }
    return value
  }

  /**
   * Reads a text that matches `pattern`. An error does not show the value, which can be a secret.
   */
  pattern(name: string, pattern: RegExp, description: string): string | undefined {
    const value = this.optional(name)
    if (value !== undefined && !pattern.test(value))
      this.#problems.push(`${name}: must be ${description}`)
    return value
  }

  /** Reads a token that is sent as Bearer. */
  token(name: string): string | undefined {
    return this.pattern(name, /^[!-~]+$/, 'ASCII characters without spaces')
  }

  /** Complains that `name` is not set while one of `others` is, which does nothing without it. */
  needed(name: string, others: readonly string[]): void {
    // Each is read, so that `names` has it.
    const [given] = others.filter((other) => this.optional(other) !== undefined)
    if (given !== undefined && this.optional(name) === undefined)
      this.#problems.push(`${name}: needed because ${given} is set`)
  }

  /** Reads a secret that another server signs with. */
  sharedSecret(name: string): string | undefined {
    return this.pattern(name, /^\S{16,200}$/, '16 to 200 characters without spaces')
  }

  choice<const Choice extends string>(
    name: string,
    choices: readonly Choice[],
    fallback: NoInfer<Choice>,
  ): Choice {
    const value = this.text(name, fallback)
    const chosen = choices.find((choice) => choice === value)
    if (chosen === undefined)
      this.#problems.push(`${name}: must be one of ${choices.join(', ')}, is "${value}"`)
    return chosen ?? fallback
  }
}

function shownUnlessSecret(value: string): string {
  return value.includes('@') ? '' : `, is "${value}"`
}

function isMailServer({ protocol, hostname, port, pathname, hash }: URL): boolean {
  const isBare = /^\/?$/.test(pathname) && hash === ''
  return /^smtps?:$/.test(protocol) && hostname !== '' && port !== '0' && isBare
}

function isEscaped(text: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(text)
}
