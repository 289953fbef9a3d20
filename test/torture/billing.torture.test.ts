import { describeBillingKill } from '../support/billing/describe-billing-kill.js'

describeBillingKill(10_000, 900_000)
