/** The numbers of emergency services (47 CFR 64.3001), which are no telephone numbers. Pure. */

/** `911` reaches the emergency service; `933` reads the caller's address back. */
export type EmergencyNumber = '911' | '933'

/** The emergency number that a person or a telephone has written; undefined for any other text. */
export function emergencyNumberOf(text: string | undefined): EmergencyNumber | undefined {
  const digits = /^\+?1?(911|933)$/.exec((text ?? '').trim())?.[1]
  return digits === '911' || digits === '933' ? digits : undefined
}
