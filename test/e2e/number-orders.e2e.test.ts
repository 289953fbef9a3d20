import { describeOrderKill } from '../support/numbers/describe-order-kill.js'

describeOrderKill({ accounts: 5, orders: 60, numbers: 20 }, 30_000)
