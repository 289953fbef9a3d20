/**
 * `node --import ./test/support/typescript/register.mjs FILE.ts` runs a TypeScript program of test/ without a
 * build. Forked processes inherit the option.
 */
import { register } from 'node:module'

register('./hooks.mjs', import.meta.url)
