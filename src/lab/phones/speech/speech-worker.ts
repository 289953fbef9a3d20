/**
 * The entry of a thread that speaks the sentences it was started with, posts the samples and ends.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { synthesise } from './flite.js'

const spoken = await synthesise(workerData as readonly string[]) // our own starter gives it
parentPort?.postMessage(spoken)
