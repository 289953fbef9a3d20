/** The entry of the media thread, which engine.ts starts. */
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadCommand, ThreadOptions, ThreadReport } from './model/thread-messages.js'
import { MediaThread } from './thread/media-thread.js'

const port = parentPort
if (port === null) throw new Error('worker.js is run by the media engine, not by itself')

const options = workerData as ThreadOptions // as engine.ts passes it
const thread = new MediaThread(options, (report) => {
  port.postMessage(report)
})

port.postMessage({ type: 'running' } satisfies ThreadReport)
port.on('message', (command: ThreadCommand) => {
  if (command.type !== 'shut-down') {
    thread.handle(command)
    return
  }
  void thread.shutDown().finally(() => {
    port.close()
  })
})
