/**
 * Loads TypeScript with the bundler that builds the programs, one module at a time. It removes types, and
 * translates syntax that Node 20 does not support (`await using`).
 */
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** Resolves `.js` imports of our modules, their names after the build, to `.ts`. */
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
    // Only helpers of the bundler become part of the module.
    external: (id, importer) => importer === file && !id.startsWith('@oxc-project/runtime/'),
  })
  const { output } = await module.generate({ file, format: 'esm', sourcemap: 'inline' })
  await module.close()
  return { format: 'module', shortCircuit: true, source: output[0].code }
}
