import type { LosingCarrier } from './losing-carrier.js'

/** A carrier that the operator speaks with: ports move only by the operator's hand. */
export function createOperatorCarrier(): LosingCarrier {
  return {
    portability: () =>
      Promise.resolve({
        isPortable: true,
        reason: undefined,
        losingCarrier: 'Unknown',
        localRoutingNumber: undefined,
        rateCenterTier: undefined,
      }),
    ask: () => Promise.resolve({ type: 'wait', until: undefined }),
  }
}
