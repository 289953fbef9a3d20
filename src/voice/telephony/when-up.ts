import type { Telephony } from './port.js'

export function isUp({ health }: Telephony): boolean {
  return health.signaling === 'up' && health.media === 'up'
}

/** Resolves when calls can be placed, or after the limit. Trunkline may start before its servers. */
export async function whenUp(telephony: Telephony, limitMs: number): Promise<void> {
  if (isUp(telephony)) return
  await new Promise<void>((resolve) => {
    const finish = () => {
      clearTimeout(limit)
      stop()
      resolve()
    }
    const limit = setTimeout(finish, limitMs)
    const stop = telephony.onHealth(() => {
      if (isUp(telephony)) finish()
    })
  })
}
