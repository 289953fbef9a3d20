import { openLab } from '../support/media/lab.js'
import { describeFiles } from './telephony-files.contract.js'

describeFiles('the lab', () => openLab())
