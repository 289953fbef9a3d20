import type { AudioForkHandle } from './model/audio-fork.js'
import type { ForkControl } from './model/thread-messages.js'

/** Holds a fork for the main thread. */
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
