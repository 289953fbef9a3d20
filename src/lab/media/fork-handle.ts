import type { AudioForkHandle } from './fork-types.js'
import type { ForkControl } from './protocol.js'

/** A fork as the main thread holds it. */
export function createForkHandle(
  ended: Promise<void>,
  send: (control: ForkControl) => void,
): AudioForkHandle {
  return {
    sendText: (text) => {
      send({ type: 'send-text', text })
    },
    setPaused: (isPaused) => {
      send({ type: isPaused ? 'pause' : 'resume' })
    },
    shutDownGracefully: () => {
      send({ type: 'shut-down' })
    },
    clearPlayout: () => {
      send({ type: 'clear-playout' })
    },
    stop: (text) => {
      send({ type: 'stop', text })
      return ended
    },
  }
}
