import { describeOrderKill } from '../support/numbers/describe-order-kill.js'

describeOrderKill({ accounts: 50, orders: 500, numbers: 100 }, 300_000)
