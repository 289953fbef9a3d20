import type { ApiRequest } from './api-request.js'

const MAX_CREDENTIALS = 512

export interface BasicCredentials {
  readonly username: string
  readonly password: string
}

/**
 * Returns the credentials of a Basic header; undefined without one. The scheme is case-insensitive, and one or
 * more spaces may follow it (RFC 9110 §11.4).
 */
export function basicOf(request: Pick<ApiRequest, 'header'>): BasicCredentials | undefined {
  const encoded = /^basic +([^ ]+) *$/i.exec(request.header('authorization') ?? '')?.[1]
  if (encoded === undefined || encoded.length > MAX_CREDENTIALS) return undefined
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  return colon < 0
    ? undefined
    : { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) }
}

/**
 * Returns the token of a Bearer header; undefined without one. The scheme is case-insensitive, and one or more
 * spaces may follow it (RFC 9110 §11.4).
 */
export function bearerOf(request: Pick<ApiRequest, 'header'>): string | undefined {
  const [, token] = /^Bearer +(\S.*)$/i.exec(request.header('authorization')?.trim() ?? '') ?? []
  return token
}
