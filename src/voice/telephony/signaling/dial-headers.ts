import { randomUUID } from 'node:crypto'
import { setVariableCommand } from '../freeswitch/command-builder.js'
import { type DialRequest, UnsafeArgumentError } from '../port.js'
import { nameAddress, sipHeaders, sipText, sipUri } from './sip-text.js'

const ANY_CHANNEL = '00000000-0000-0000-0000-000000000000'

/** A dial request in which every text is fit for the wire. */
export interface CheckedDial {
  readonly uri: string
  readonly callId: string
  readonly headers: Readonly<Record<string, string>>
  readonly proxy: string | undefined
  readonly auth: { readonly username: string; readonly password: string } | undefined
  readonly timeoutMs: number
  readonly variables: readonly (readonly [name: string, value: string])[]
}

/** Throws UnsafeArgumentError; nothing was sent then. */
export function checkDial(request: DialRequest): CheckedDial {
  const variables = Object.entries(request.variables ?? {})
  for (const [name, value] of variables) setVariableCommand(ANY_CHANNEL, name, value)
  const { user, host, displayName } = request.from
  const callId = randomUUID()
  return {
    uri: sipUri(request.uri),
    callId,
    headers: {
      ...sipHeaders(request.headers),
      // drachtio writes its own address where it reads `localhost`.
      From: nameAddress({
        user,
        host: host ?? 'localhost',
        displayName,
      }),
      ...(request.to !== undefined && { To: `<${sipUri(request.to)}>` }),
      'Call-ID': callId,
    },
    proxy: request.proxy && sipUri(request.proxy),
    auth: request.auth && checkAuth(request.auth),
    timeoutMs: request.timeoutMs,
    variables,
  }
}

/** The name goes between quotes into a header as it is; the password only into a hash. */
function checkAuth(auth: NonNullable<DialRequest['auth']>): CheckedDial['auth'] {
  if (/["\\]/.test(sipText(auth.username)))
    throw new UnsafeArgumentError('not a user name for digest authentication')
  return auth
}
