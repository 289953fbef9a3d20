/**
 * Loads TypeScript by the bundler that builds the programs, one module at a time. It takes the types
 * away, and what Node 20 does not know (`await using`).
 */
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** Our own modules import each other by the name that they have once they are built. */
export async function resolve(specifier, context, next) {
  const isOurs = specifier.startsWith('.') && context.parentURL?.endsWith('.ts')
  return await next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context)
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return await next(url, context)
  const file = fileURLToPath(url)
  const module = await rolldown({
    input: file,
    platform: 'node',
    transform: { target: 'node20' },
    treeshake: false,
    // The helpers of the bundler become part of the module, other modules do not.
    external: (id, importer) => importer === file && !id.startsWith('@oxc-project/runtime/'),
  })
  const { output } = await module.generate({ file, format: 'esm', sourcemap: 'inline' })
  await module.close()
  return { format: 'module', shortCircuit: true, source: output[0].code }
}
