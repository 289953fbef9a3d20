import type { EnvReader } from './env-reader.js'

/** A server that messages go through by HTTP. */
export interface MessageProviderConfig {
  readonly url: string
  /** What is sent to it as Bearer. */
  readonly token: string | undefined
  /** The secret by which it signs receipts and messages. */
  readonly secret: string
}

export function readMessageProvider(
  reader: EnvReader,
  problems: string[],
): MessageProviderConfig | undefined {
  const url = reader.url('MESSAGE_PROVIDER_URL')
  const token = reader.optional('MESSAGE_PROVIDER_TOKEN')
  const secret = reader.sharedSecret('MESSAGE_PROVIDER_SECRET')
  if (url === undefined) return undefined
  if (secret === undefined)
    problems.push('MESSAGE_PROVIDER_SECRET: must be set with MESSAGE_PROVIDER_URL')
  return { url, token, secret: secret ?? '' }
}
