import { AudioFork } from '../forks/audio-fork.js'
import type { ForkRequest } from '../model/audio-fork.js'
import type { EndpointReport } from '../model/thread-messages.js'
import type { Endpoint } from './endpoint.js'

/** Connects a fork to its sources of audio and its playout. */
export function startFork(
  endpoint: Endpoint,
  number: number,
  request: ForkRequest,
  { report }: { readonly report: (report: EndpointReport) => void },
): void {
  const { arrivals } = endpoint.link.receiver
  const fork = new AudioFork(request, {
    onEvent: (event) => {
      report({ type: 'fork-event', fork: number, event })
    },
    onEnded: () => {
      endpoint.forks.delete(number)
      endpoint.taps.delete(fork)
      endpoint.dubs.delete(fork)
      arrivals.delete(fork)
      report({ type: 'fork-ended', fork: number })
    },
  })
  endpoint.forks.set(number, fork)
  endpoint.taps.add(fork)
  if (request.mix === 'mono') arrivals.add(fork)
  if (request.playout !== undefined) endpoint.dubs.add(fork)
}
