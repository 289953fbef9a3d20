/**
 * A voice application: it answers a webhook with a stream, and sends back on the websocket whatever
 * audio it hears. It runs in trunkline's own image, whose `ws` it uses.
 */
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

const PORT = Number(process.env.PORT ?? 3000)
const ADDRESS = process.env.ADDRESS ?? '127.0.0.1'
const MARKUP = `<Response><Connect><Stream url="ws://${ADDRESS}:${PORT}/stream"/></Connect></Response>`

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/xml' }).end(MARKUP)
})
new WebSocketServer({ server }).on('connection', (socket) => {
  socket.on('message', (text) => {
    const { event, streamSid, media } = JSON.parse(String(text))
    if (event !== 'media') return
    socket.send(JSON.stringify({ event, streamSid, media: { payload: media.payload } }))
  })
})
server.listen(PORT, () => {
  console.log(`echo application on port ${PORT}`)
})
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0))
