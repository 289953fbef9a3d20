/** The Identity header (RFC 8224 §4). Pure. */

/** One value of the header: a PASSporT and its parameters. */
export interface Identity {
  /** The value as received. */
  readonly text: string
  readonly token: string
  /** The `info` parameter: the URL of the certificate. */
  readonly certificateUrl: string | undefined
  /** The extension of the PASSporT: `shaken`, `div`, … */
  readonly extension: string | undefined
}

const MAX_IDENTITIES = 8

/** Parses the header; several headers arrive as one list separated by commas. */
export function readIdentities(header: string): readonly Identity[] {
  const values = header.match(/(?:<[^>]*>|"[^"]*"|[^,<"])+/g) ?? []
  return values.slice(0, MAX_IDENTITIES).map((value) => readIdentity(value.trim()))
}

export function formatIdentity(
  token: string,
  certificateUrl: string,
  extension: 'shaken' | 'div',
): string {
  return `${token};info=<${certificateUrl}>;alg=ES256;ppt=${extension}`
}

function readIdentity(text: string): Identity {
  const [token = '', ...parameters] = text.match(/(?:<[^>]*>|"[^"]*"|[^;<"])+/g) ?? []
  const valueOf = (name: string) => {
    const found = parameters.find((each) => each.trim().toLowerCase().startsWith(`${name}=`))
    return found
      ?.slice(found.indexOf('=') + 1)
      .trim()
      .replace(/^[<"](.*)[>"]$/, '$1')
  }
  return {
    text,
    token: token.trim(),
    certificateUrl: valueOf('info'),
    extension: valueOf('ppt'),
  }
}
