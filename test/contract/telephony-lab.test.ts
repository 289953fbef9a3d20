import { openLab } from '../support/media/lab.js'
import { describeTelephony } from './telephony.contract.js'

describeTelephony('the lab', () => openLab())
