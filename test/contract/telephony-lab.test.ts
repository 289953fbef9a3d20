import { openLab } from '../support/lab.js'
import { describeTelephony } from './telephony.contract.js'

describeTelephony('the lab', () => openLab())
