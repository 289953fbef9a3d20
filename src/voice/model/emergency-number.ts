/** The numbers of emergency services (47 CFR 64.3001), which are not telephone numbers. Pure. */
import { withoutSeparators } from '../../platform/sip-grammar/plain-uri.js'

/** `911` calls the emergency service; `933` reads the caller's address back. */
export type EmergencyNumber = '911' | '933'

/** Returns the emergency number in a text from a user or a phone; undefined for any other text. */
export function emergencyNumberOf(text: string | undefined): EmergencyNumber | undefined {
  const [number = ''] = (text ?? '').trim().split(';')
  const digits = /^\+?1?(911|933)$/.exec(withoutSeparators(number))?.[1]
  return digits === '911' || digits === '933' ? digits : undefined
}

/** RFC 5031 §4.2 and its sub-services such as `sos.police`, which are also sent to 911. */
const SERVICE = /^urn:service:(test\.)?sos(?:\.[a-z0-9.-]{1,64})?$/i

/** True for the service URN of an emergency service. */
export function isEmergencyService(uri: string): boolean {
  return SERVICE.test(uri)
}

/** Returns the emergency number that a request is for; a test of the service (RFC 6881 §15) means `933`. */
export function emergencyNumberIn({
  uri,
  user,
}: {
  readonly uri: string
  readonly user?: string | undefined
}): EmergencyNumber | undefined {
  const service = SERVICE.exec(uri)
  if (service === null) return emergencyNumberOf(user)
  return service[1] === undefined ? '911' : '933'
}
