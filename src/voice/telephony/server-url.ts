/** A server's address and secret: `tcp://:SECRET@HOST:PORT`, with `?weight=N` when it is not 1. */
export interface ServerUrl {
  readonly host: string
  readonly port: number
  readonly secret: string
  /** The share of new calls that the server gets, compared with the others' weights. */
  readonly weight: number
}

const WEIGHT = /^\?weight=([1-9]\d{0,3})$/

/** A server's name: `host:port`. */
export function serverName({ host, port }: Pick<ServerUrl, 'host' | 'port'>): string {
  return `${host}:${String(port)}`
}

/** Parses a server URL. Throws TypeError for another form; its text never contains the secret. */
export function parseServerUrl(text: string): ServerUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'tcp:' || url.hostname === '' || url.port === '' || url.password === '')
    throw new TypeError('a server URL is tcp://:SECRET@HOST:PORT')
  const weight = url.search === '' ? '1' : WEIGHT.exec(url.search)?.[1]
  if (weight === undefined)
    throw new TypeError(
      'a server URL is tcp://:SECRET@HOST:PORT, with no parameter but weight=1 to 9999',
    )
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port),
    secret: decodeURIComponent(url.password),
    weight: Number(weight),
  }
}
