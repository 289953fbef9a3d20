/**
 * `node --import ./test/support/typescript/register.mjs FILE.ts` runs a program of test/ as it is: only
 * src is built. The processes that it forks inherit the option.
 */
import { register } from 'node:module'

register('./hooks.mjs', import.meta.url)
