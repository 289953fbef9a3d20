import { recordStatements } from './ran-statements.js'

/** Runs before each unit test file. */
recordStatements()
