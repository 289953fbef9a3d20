import { connect } from 'node:net'
import type { StreamLayer } from './stream-transport.js'

/** SIP on TCP alone. */
export const TCP_LAYER: StreamLayer = {
  name: 'tcp',
  accept: (socket, onReady) => {
    onReady(socket)
  },
  dial: (to) => ({
    socket: connect({ host: to.address, port: to.port }),
    opensAt: 'connect',
  }),
  failure: (error) => error,
}
