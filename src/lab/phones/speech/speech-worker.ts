/**
 * Entry of the speech thread: synthesises the sentences in its workerData, posts the samples and
 * ends.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { synthesise } from './flite.js'

const spoken = await synthesise(workerData as readonly string[]) // our own starter gives it
parentPort?.postMessage(spoken)
