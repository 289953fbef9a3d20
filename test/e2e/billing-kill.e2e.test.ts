import { describeBillingKill } from '../support/billing/describe-billing-kill.js'

describeBillingKill(600, 120_000)
