import type { ApiRequest } from './api-request.js'

/**
 * The token of a Bearer header; undefined for a request without one. One or more spaces divide the
 * scheme, in any case, from the token (RFC 9110 §11.4).
 */
export function bearerOf(request: Pick<ApiRequest, 'header'>): string | undefined {
  const [, token] = /^Bearer +(\S.*)$/i.exec(request.header('authorization')?.trim() ?? '') ?? []
  return token
}
