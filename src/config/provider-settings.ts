import {
  DEFAULT_EVENT_SIGNATURES,
  SIGNATURE_FORMS,
  type SignatureHeader,
} from '../platform/outbox/signed-event.js'
import type { EnvReader } from './env-reader.js'

/** A server of another company, and what is sent to it as Bearer. */
export interface ProviderConfig {
  readonly url: string
  readonly token: string | undefined
}

/** Reads `NAME_URL` and `NAME_TOKEN`. */
export function readProvider(reader: EnvReader, name: string): ProviderConfig | undefined {
  const url = reader.url(`${name}_URL`)
  const token = reader.token(`${name}_TOKEN`)
  reader.needed(`${name}_URL`, [`${name}_TOKEN`])
  return url === undefined ? undefined : { url, token }
}

/** A server that turns speech into text. */
export interface RecogniserConfig {
  readonly url: string
  /** Sent as Bearer. */
  readonly key: string | undefined
  readonly model: string
}

export function readRecogniser(reader: EnvReader): RecogniserConfig | undefined {
  const url = reader.url('RECOGNISER_URL')
  const key = reader.token('RECOGNISER_KEY')
  const model = reader.text('RECOGNISER_MODEL', 'whisper-1')
  reader.needed('RECOGNISER_URL', ['RECOGNISER_KEY', 'RECOGNISER_MODEL'])
  return url === undefined ? undefined : { url, key, model }
}

/** A server that messages go through by HTTP. */
export interface MessageProviderConfig extends ProviderConfig {
  /** The secret by which it signs receipts and messages. */
  readonly secret: string
  /** Whether it takes messages to short codes. */
  readonly shortCodes: 'taken' | 'refused'
}

export function readMessageProvider(reader: EnvReader): MessageProviderConfig | undefined {
  const provider = readProvider(reader, 'MESSAGE_PROVIDER')
  const secret = reader.sharedSecret('MESSAGE_PROVIDER_SECRET')
  reader.needed('MESSAGE_PROVIDER_SECRET', ['MESSAGE_PROVIDER_URL'])
  if (reader.optional('MESSAGE_PROVIDER_TOKEN') === undefined)
    reader.needed('MESSAGE_PROVIDER_URL', ['MESSAGE_PROVIDER_SECRET'])
  const shortCodes = reader.choice('MESSAGE_PROVIDER_SHORT_CODES', ['taken', 'refused'], 'refused')
  reader.needed('MESSAGE_PROVIDER_URL', ['MESSAGE_PROVIDER_SHORT_CODES'])
  return provider === undefined ? undefined : { ...provider, secret: secret ?? '', shortCodes }
}

/** A registry of another system. */
export interface RegistryUpstreamConfig {
  readonly url: string
  readonly key: string
  readonly secret: string | undefined
  readonly cnpId: string
  readonly displayName: string
  readonly shareWith: string
}

/** The headers that carry the signature of the registry's events. */
export function readEventSignatures(reader: EnvReader): readonly SignatureHeader[] {
  const named = reader.headerForms('REGISTRY_SIGNATURE_HEADERS', SIGNATURE_FORMS)
  return named.length === 0 ? DEFAULT_EVENT_SIGNATURES : named
}

const UPSTREAM = ['URL', 'KEY', 'SHARE_WITH', 'SECRET', 'CNP', 'NAME'].map(
  (each) => `REGISTRY_UPSTREAM_${each}`,
)

export function readRegistryUpstream(reader: EnvReader): RegistryUpstreamConfig | undefined {
  const url = reader.url('REGISTRY_UPSTREAM_URL')
  const key = reader.optional('REGISTRY_UPSTREAM_KEY')
  const shareWith = reader.optional('REGISTRY_UPSTREAM_SHARE_WITH')
  const secret = reader.optional('REGISTRY_UPSTREAM_SECRET')
  const cnpId = reader.pattern('REGISTRY_UPSTREAM_CNP', /^[A-Z0-9]{4,8}$/, '4 to 8 of A-Z and 0-9')
  for (const each of ['URL', 'KEY', 'SHARE_WITH'])
    reader.needed(`REGISTRY_UPSTREAM_${each}`, UPSTREAM)
  if (url === undefined || key === undefined || shareWith === undefined) return undefined
  return {
    url,
    key,
    secret,
    cnpId: cnpId ?? 'ABOVE',
    displayName: reader.text('REGISTRY_UPSTREAM_NAME', 'Upstream registry'),
    shareWith,
  }
}
