/** The entry of the media thread, which engine.ts starts. */
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadCommand, ThreadOptions, ThreadReport } from './model/thread-messages.js'
import { PostBox } from './post-box.js'
import { MediaThread } from './thread/media-thread.js'

const port = parentPort
if (port === null) throw new Error('worker.js is run by the media engine, not by itself')

const options = workerData as ThreadOptions // as engine.ts passes it
const reports = new PostBox<ThreadReport>((gathered) => {
  port.postMessage(gathered)
})
const thread = new MediaThread(options, (report) => {
  reports.add(report)
})

reports.add({ type: 'running' })
port.on('message', (commands: readonly ThreadCommand[]) => {
  for (const command of commands) {
    if (command.type === 'shut-down') end()
    else thread.handle(command)
  }
})

function end(): void {
  void thread.shutDown().finally(() => {
    reports.flush()
    port?.close()
  })
}
