/** A server's address and secret: `tcp://:SECRET@HOST:PORT`. */
export interface ServerUrl {
  readonly host: string
  readonly port: number
  readonly secret: string
}

/** A server's name: `host:port`. */
export function serverName({ host, port }: ServerUrl): string {
  return `${host}:${String(port)}`
}

/**
 * Parses a server URL. Throws TypeError when the URL has another form; the secret is not in its
 * text.
 */
export function parseServerUrl(text: string): ServerUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'tcp:' || url.hostname === '' || url.port === '' || url.password === '')
    throw new TypeError('a server URL is tcp://:SECRET@HOST:PORT')
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port),
    secret: decodeURIComponent(url.password),
  }
}
