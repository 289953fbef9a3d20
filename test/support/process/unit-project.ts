import { recordStatements } from './ran-statements.js'

/** Runs before each file of the unit tests. */
recordStatements()
