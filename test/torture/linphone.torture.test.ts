import { describeSoftphone } from '../support/sip/describe-softphone.js'
import { startLinphone } from '../support/sip/linphone.js'

describeSoftphone('linphone [F53]', startLinphone)
