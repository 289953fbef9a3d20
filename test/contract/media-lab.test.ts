import { openLab } from '../support/media/lab.js'
import { describeMediaServer } from './media-clients.contract.js'

describeMediaServer('the lab', async () => {
  const lab = await openLab()
  return { urls: lab, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() }
})
